import { ActionIcon, Button, Text, Tooltip } from "@mantine/core";
import { IconGitMerge, IconPlayerStop, IconTrash, IconX } from "@tabler/icons-react";
import { useState } from "react";

import { sessionActions } from "@/api/session-actions";
import type { Session } from "@/api/types";
import { useCommands } from "@/ui/commands/registry";
import { plural } from "@/ui/format";
import { tellDone, tellFailed } from "@/ui/toasts";

import { cleanable, forEach, landable, stoppable } from "../bulk";
import classes from "./home.module.css";

type Open = (sessions: readonly Session[]) => void;
type Props = { sessions: readonly Session[]; onLand: Open; onCleanup: Open; onClear: () => void };

/** What can be done with all that are selected. */
export function BulkBar({ sessions, onLand, onCleanup, onClear }: Props) {
  const [isStopping, setIsStopping] = useState(false);
  const running = stoppable(sessions);
  const toLand = landable(sessions);
  const toClean = cleanable(sessions);
  const stop = async () => {
    setIsStopping(true);
    const outcomes = await forEach(running, (session) => sessionActions.stop(session.id), () => undefined);
    setIsStopping(false);
    const failed = outcomes.filter((outcome) => outcome.problem !== null);
    if (failed.length < outcomes.length) tellDone(`${plural(outcomes.length - failed.length, "session")} asked to stop; the work is kept`);
    for (const { session, problem } of failed) tellFailed(`${session.name} was not stopped`, { message: problem ?? "" });
  };
  useCommands([
    { id: "bulk.stop", title: "Stop the selected sessions", group: "Selection", operations: ["stop_session"], isHidden: running.length === 0, run: () => void stop() },
    { id: "bulk.land", title: "Land the selected sessions", group: "Selection", operations: ["land_sessions"], isHidden: toLand.length === 0, run: () => onLand(toLand) },
    { id: "bulk.cleanup", title: "Clean up the selected sessions", group: "Selection", operations: ["cleanup_session"], isHidden: toClean.length === 0, run: () => onCleanup(toClean) },
  ]);
  return (
    <div className={classes.bulk} role="toolbar" aria-label="With the selected sessions">
      <Text fw={600}>{plural(sessions.length, "session")} selected</Text>
      <Button variant="default" leftSection={<IconPlayerStop size={14} />} disabled={running.length === 0} loading={isStopping} onClick={() => void stop()}>
        Stop {running.length}
      </Button>
      <Button variant="default" leftSection={<IconGitMerge size={14} />} disabled={toLand.length === 0} onClick={() => onLand(toLand)}>
        Land {toLand.length}
      </Button>
      <Button variant="default" leftSection={<IconTrash size={14} />} disabled={toClean.length === 0} onClick={() => onCleanup(toClean)}>
        Clean up {toClean.length}
      </Button>
      <Tooltip label="Select none (Esc)">
        <ActionIcon aria-label="Select none" onClick={onClear}>
          <IconX size={16} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
