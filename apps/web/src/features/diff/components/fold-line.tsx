import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";

import { plural } from "@/ui/format";

import type { FoldRow, Opened } from "../rows";
import classes from "./diff-rows.module.css";

/** Lines that one press shows. */
export const STEP = 20;
const ALL: Opened = { top: Infinity, bottom: 0 };

type Props = { row: FoldRow; canOpen: boolean; isFirst: boolean; isLast: boolean; onOpen: (gap: number, more: Opened) => void };

/** Lines that did not change and are left out. */
export function FoldLine({ row, canOpen, isFirst, isLast, onOpen }: Props) {
  const isSmall = row.count !== null && row.count <= STEP;
  return (
    <div className={classes.fold}>
      {canOpen && row.count !== 0 && (
        <span className={classes.foldButtons}>
          {!isFirst && !isSmall && (
            <button type="button" onClick={() => onOpen(row.gap, { top: STEP, bottom: 0 })} aria-label={`Show ${STEP} more lines downwards`}>
              <IconArrowDown size={12} />
            </button>
          )}
          {!isLast && !isSmall && (
            <button type="button" onClick={() => onOpen(row.gap, { top: 0, bottom: STEP })} aria-label={`Show ${STEP} more lines upwards`}>
              <IconArrowUp size={12} />
            </button>
          )}
          <button type="button" onClick={() => onOpen(row.gap, ALL)}>
            {row.count === null ? "Show the rest" : `Show ${plural(row.count, "line")}`}
          </button>
        </span>
      )}
      {!canOpen && row.count !== null && row.count > 0 && <span>{plural(row.count, "line")}</span>}
      <span className={`${classes.section} truncate`}>{row.section}</span>
    </div>
  );
}
