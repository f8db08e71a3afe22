import { Tooltip } from "@mantine/core";

import type { SessionStatus } from "@/api/types";

import { STATUS_LOOKS } from "./session-status";
import classes from "./status-badge.module.css";
import { StatusShape } from "./status-shape";

type Props = { status: SessionStatus; /** Why, where that is known. */ evidence?: string | null };

/** A session's status: shape, word and colour. */
export function StatusBadge({ status, evidence }: Props) {
  const look = STATUS_LOOKS[status];
  return (
    <Tooltip label={evidence ?? look.meaning} multiline maw={360}>
      <span className={classes.badge} data-tone={look.tone}>
        <StatusShape status={status} />
        {look.label}
      </span>
    </Tooltip>
  );
}
