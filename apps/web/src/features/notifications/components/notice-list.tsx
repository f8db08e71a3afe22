import { Button, Group, ScrollArea, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconBell } from "@tabler/icons-react";
import { useState } from "react";

import { asApiError } from "@/api/error";
import { platform } from "@/platform/current";
import { RelativeTime } from "@/ui/figures";
import { EmptyState, FailedState, SkeletonRows } from "@/ui/states";

import type { Notice } from "../api";
import classes from "./notice-list.module.css";

type Props = { query: UseQueryResult<{ notices: Notice[] }>; seen: number; /** How much of it is in sight; without an end if a number says nothing. */ height?: number | "none"; onChoose: () => void };

export function NoticeList({ query, seen, height = 420, onChoose }: Props) {
  return (
    <>
      <Group justify="space-between" px="sm" py={6} className={classes.head}>
        <Text fw={600}>Notifications</Text>
        <BrowserSwitch />
      </Group>
      <ScrollArea.Autosize mah={height}>
        {query.isPending && <SkeletonRows count={5} height={48} />}
        {query.isError && <FailedState isSmall title="They cannot be read" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />}
        {query.data?.notices.length === 0 && (
          <EmptyState icon={<IconBell size={20} />} title="Nothing happened yet">
            An agent that waits for you, a script that ended, conflicts: they are listed here.
          </EmptyState>
        )}
        {query.data?.notices.map((notice) => (
          <Row key={notice.event} notice={notice} isNew={notice.event > seen} onChoose={onChoose} />
        ))}
      </ScrollArea.Autosize>
    </>
  );
}

function Row({ notice, isNew, onChoose }: { notice: Notice; isNew: boolean; onChoose: () => void }) {
  return (
    <Link to="/sessions/$session" params={{ session: notice.session_id }} className={classes.row} data-new={isNew || undefined} onClick={onChoose}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text fw={500} truncate>
          {notice.title}
        </Text>
        <Text c="dimmed" size="xs" className={classes.when}>
          <RelativeTime at={notice.at} />
        </Text>
      </Group>
      {notice.body !== "" && (
        <Text c="dimmed" lineClamp={2}>
          {notice.body}
        </Text>
      )}
    </Link>
  );
}

/** Whether the browser may show them too. */
function BrowserSwitch() {
  const [permission, setPermission] = useState(() => platform().notifications.permission());
  if (permission === "granted") return <Text c="dimmed" size="xs">The browser shows them too</Text>;
  if (permission === "denied") return <Text c="dimmed" size="xs">Blocked in the browser</Text>;
  if (permission === "unsupported") return null;
  return (
    <Button variant="subtle" size="compact-xs" onClick={() => void platform().notifications.ask().then(setPermission)}>
      Show them in the browser
    </Button>
  );
}
