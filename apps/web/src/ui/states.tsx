/** What a page or a part of it shows when it has nothing to show: empty, failed, loading. */
import { Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";

import classes from "./states.module.css";
import { Ticked } from "./ticked";

type EmptyProps = { icon?: ReactNode; title: string; children?: ReactNode; action?: ReactNode };

/** Nothing is there, and that is fine: what it would be, and how to get the first one. */
export function EmptyState({ icon, title, children, action }: EmptyProps) {
  return (
    <div className={classes.middle}>
      <Stack align="center" gap="xs" maw={440}>
        {icon !== undefined && <div className={classes.icon}>{icon}</div>}
        <Title order={3} ta="center">
          {title}
        </Title>
        {children !== undefined && (
          <Text c="dimmed" ta="center" component="div">
            {children}
          </Text>
        )}
        {action !== undefined && <Group mt="xs">{action}</Group>}
      </Stack>
    </div>
  );
}

/** What a failure says. `code` is for reports and searches. */
export type Failure = { message: string; hint?: string | null; code?: string };

type FailedProps = { title: string; failure: Failure; onRetry?: () => void; isSmall?: boolean };

/** It went wrong: what, and what can be done. */
export function FailedState({ title, failure, onRetry, isSmall = false }: FailedProps) {
  return (
    <div className={isSmall ? classes.small : classes.middle} role="alert">
      <Stack align={isSmall ? "flex-start" : "center"} gap={6} maw={560}>
        <Group gap="xs" wrap="nowrap">
          <IconAlertTriangle size={18} color="var(--tone-danger-text)" />
          <Title order={isSmall ? 5 : 3}>{title}</Title>
        </Group>
        <Text ta={isSmall ? "left" : "center"} className={classes.message}>
          <Ticked text={failure.message} />
        </Text>
        {failure.hint != null && failure.hint !== "" && (
          <Text c="dimmed" ta={isSmall ? "left" : "center"}>
            <Ticked text={failure.hint} />
          </Text>
        )}
        <Group gap="sm" mt={4}>
          {onRetry !== undefined && (
            <Button variant="default" leftSection={<IconRefresh size={14} />} onClick={onRetry}>
              Try again
            </Button>
          )}
          {failure.code !== undefined && <code className={classes.code}>{failure.code}</code>}
        </Group>
      </Stack>
    </div>
  );
}

/** Rows that will be there in a moment, in their place. */
export function SkeletonRows({ count = 12, height = 34 }: { count?: number; height?: number }) {
  return (
    <div role="status" aria-label="Loading" className={classes.rows}>
      {Array.from({ length: count }, (_, row) => (
        <div key={row} className={classes.row} style={{ height }}>
          <Skeleton height={10} width={`${30 + ((row * 37) % 50)}%`} />
        </div>
      ))}
    </div>
  );
}

/** A page that will be there in a moment. */
export function SkeletonPage() {
  return (
    <Stack p="md" gap="md" role="status" aria-label="Loading">
      <Skeleton height={22} width={220} />
      <SkeletonRows />
    </Stack>
  );
}
