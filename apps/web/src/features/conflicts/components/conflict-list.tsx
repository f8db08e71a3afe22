import { Button, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";

import type { Wire } from "@/api/types";

import { type Conflict, classText, contentText, kindText } from "../model";
import classes from "./guide.module.css";

type Props = {
  conflicts: readonly Conflict[];
  onto: string;
  chosen: string | undefined;
  decided: readonly Wire["Operation"][];
  /** The operation that can be undone now. */
  undoable: number | null;
  isBusy: boolean;
  onChoose: (path: string) => void;
  onUndo: () => void;
};

/** What is left, and what was decided. */
export function ConflictFiles({ conflicts, onto, chosen, decided, undoable, isBusy, onChoose, onUndo }: Props) {
  return (
    <nav className={classes.side} aria-label="Files in conflict">
      <div className={classes.heading}>
        <span>To decide</span>
        <span>{conflicts.length}</span>
      </div>
      <ul className={classes.list}>
        {conflicts.map((conflict) => (
          <li key={conflict.path}>
            <button type="button" className={classes.item} aria-current={conflict.path === chosen || undefined} onClick={() => onChoose(conflict.path)}>
              <span className="mono truncate" style={{ display: "block" }} title={conflict.path}>
                {conflict.path}
              </span>
              <Text size="xs" c="dimmed" component="span">
                {[kindText(conflict.kind, onto).short, contentText(conflict.content), classText(conflict)].filter((it) => it !== null).join(" · ")}
              </Text>
            </button>
          </li>
        ))}
      </ul>
      {decided.length > 0 && (
        <>
          <div className={classes.heading}>
            <span>Decided</span>
            <span>{decided.length}</span>
          </div>
          <ul className={classes.list}>
            {decided.toReversed().map((operation) => (
              <li key={operation.id} className={classes.decided}>
                <IconCheck size={14} color="var(--tone-good-text)" style={{ flex: "none" }} />
                <span style={{ flex: 1 }}>{operation.summary}</span>
                {operation.id === undoable && (
                  <Button size="compact-xs" variant="subtle" disabled={isBusy} onClick={onUndo}>
                    Undo
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </nav>
  );
}
