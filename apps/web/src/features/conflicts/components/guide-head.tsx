import { Badge, Button, Group, Popover, Stack, Text, Textarea, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconSparkles } from "@tabler/icons-react";
import { useState } from "react";

import type { Wire } from "@/api/types";
import { plural } from "@/ui/format";
import { StatusBadge } from "@/ui/status-badge";

import classes from "./guide.module.css";

type Props = {
  list: Wire["ConflictList"];
  /** Whether the agent works, so that nobody else should. */
  isWorking: boolean;
  isBusy: boolean;
  onRebase: () => void;
  onContinue: () => void;
  onSkip: () => void;
  onAbort: () => void;
  onAsk: (text: string) => void;
};

/** Where the rebase stands, and the ways on. */
export function GuideHead({ list, isWorking, isBusy, onRebase, onContinue, onSkip, onAbort, onAsk }: Props) {
  const { session, in_progress: isWaiting, conflicts } = list;
  const isOff = isBusy || isWorking;
  return (
    <div className={classes.head}>
      <div className={classes.words}>
        <Group gap="xs">
          <Title order={1}>
            Conflicts of{" "}
            <Link to="/sessions/$session" params={{ session: session.id }} style={{ color: "inherit" }}>
              {session.name}
            </Link>
          </Title>
          <StatusBadge status={session.status} />
          {isWaiting && <Badge color="gray">{conflicts.length === 0 ? "all decided" : `${conflicts.length} to decide`}</Badge>}
        </Group>
        <Text c="dimmed" mt={2}>
          <Where list={list} />
        </Text>
      </div>
      <Group gap={6} wrap="nowrap">
        {isWaiting ? (
          <>
            <AskAgent isOff={isOff || conflicts.length === 0} onAsk={onAsk} />
            <Button variant="default" disabled={isOff} onClick={onSkip}>
              Leave out the commit…
            </Button>
            <Button variant="default" color="red" disabled={isOff} onClick={onAbort}>
              Give up…
            </Button>
            <Button disabled={isOff || conflicts.length > 0} loading={isBusy} onClick={onContinue}>
              Continue
            </Button>
          </>
        ) : (
          <Button disabled={isOff} loading={isBusy} onClick={onRebase}>
            Rebase onto {list.onto}
          </Button>
        )}
      </Group>
    </div>
  );
}

function Where({ list }: { list: Wire["ConflictList"] }) {
  const { commit, onto, commits_after: after, in_progress: isWaiting } = list;
  if (commit == null) return <>{isWaiting ? `A rebase onto ${onto} waits.` : `Every commit fits onto ${onto}.`}</>;
  return (
    <>
      {isWaiting ? `The rebase onto ${onto} stopped at ` : `A rebase onto ${onto} would stop at `}
      <code>{commit.id.slice(0, 10)}</code> {commit.subject}
      {after > 0 && `, with ${plural(after, "commit")} after it`}.
    </>
  );
}

function AskAgent({ isOff, onAsk }: { isOff: boolean; onAsk: (text: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={360} trapFocus>
      <Popover.Target>
        <Button variant="default" disabled={isOff} leftSection={<IconSparkles size={14} />} onClick={() => setOpen(!isOpen)}>
          Ask the agent
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Text>
            The agent is told which files have conflicts and of what kind. What it edits and leaves without markers is decided; the rest
            stays for you.
          </Text>
          <Textarea autosize minRows={2} aria-label="What the agent should know" placeholder="What it should know (optional)" value={text} onChange={(event) => setText(event.currentTarget.value)} data-autofocus />
          <Button
            onClick={() => {
              setOpen(false);
              onAsk(text);
            }}
          >
            Ask
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
