import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";

import { useHighlight } from "@/ui/code/highlight/use-highlight";
import { EmptyState } from "@/ui/states";

import { linesLabel } from "../comments";
import { contextQuery } from "../context";
import type { DiffScope, FileChange } from "../model";
import type { Patch } from "../patch";
import { type Opened, changeStarts, diffRows, segments } from "../rows";
import { CommentBox, CommentDraft } from "./comment-box";
import { DiffLine, type Spot } from "./diff-line";
import rowClasses from "./diff-rows.module.css";
import classes from "./file-diff.module.css";
import { FileNotes } from "./file-notes";
import { FoldLine } from "./fold-line";
import { useLineCommands } from "./use-line-commands";
import { type ShownRow, isInside, useLineComments } from "./use-line-comments";
import { useStable } from "./use-stable";

type Props = {
  session: string;
  scope: DiffScope;
  file: FileChange;
  patch: Patch;
  isSplit: boolean;
  ignoresSpace: boolean;
  /** The line to begin at, if the user came for one. */
  goal: Spot | null;
  /** Before the first or after the last change. */
  onLeave: (direction: 1 | -1) => void;
};

const LINE = 20;
const NOTHING: ReadonlyMap<number, Opened> = new Map();

/** The changed lines of one file. Only those in sight are in the page. */
export function FileDiff({ session, scope, file, patch, isSplit, ignoresSpace, goal, onLeave }: Props) {
  const [opened, setOpened] = useState(NOTHING);
  const context = useQuery({ ...contextQuery(session, scope, file.path, patch), enabled: opened.size > 0 });
  const lines = context.data?.kind === "lines" ? context.data.lines : null;
  const missing = context.isLoadingError || context.data?.kind === "another" ? "another" : context.data?.kind === "unknown" ? "unknown" : null;
  const canOpen = missing === null && file.kind !== "D";
  const base = useMemo(
    () => diffRows(patch, { isSplit, ignoresSpace, opened, lines, canOpen }),
    [patch, isSplit, ignoresSpace, opened, lines, canOpen],
  );
  const highlight = useHighlight(file.path, useMemo(() => segments(base), [base]));
  const comments = useLineComments(session, file.path, base);
  const { rows } = comments;
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- rows come from the virtualizer, so it must not be memoised
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    getItemKey: (index) => rows[index]?.key ?? index,
    measureElement: (element) => element.getBoundingClientRect().height || LINE,
    overscan: 20,
  });
  const [cursor, setCursor] = useState<string | null>(null);
  const cursorAt = cursor === null ? -1 : rows.findIndex((row) => row.key === cursor);
  const moveTo = (index: number, align: "auto" | "center" | "start" = "auto") => {
    const row = rows[index];
    if (!row) return;
    setCursor(row.key);
    virtual.scrollToIndex(index, { align });
  };
  const goToGoal = useEffectEvent(() => {
    if (!goal) return;
    const index = rows.findIndex((row) => row.kind === "line" && isInside(row, { path: file.path, side: goal.side, from: goal.line, to: goal.line }));
    if (index !== -1) moveTo(index, "center");
  });
  useEffect(() => goToGoal(), [goal]);

  const step = (direction: 1 | -1) => {
    for (let at = cursorAt + direction; at >= 0 && at < rows.length; at += direction) {
      if (rows[at]?.kind !== "line") continue;
      moveTo(at);
      return;
    }
  };
  const leap = (direction: 1 | -1) => {
    const starts = changeStarts(rows.map((row) => (row.kind === "line" ? row : { kind: "fold", key: row.key, gap: 0, count: null, section: "" })));
    const next = direction === 1 ? starts.find((at) => at > cursorAt) : starts.findLast((at) => at < cursorAt);
    if (next === undefined) onLeave(direction);
    else moveTo(next, "center");
  };
  useLineCommands({
    onLine: step,
    onChange: leap,
    onExtend: (direction) => {
      const start = spotOf(rows[cursorAt]);
      const spot = spotOf(rows[cursorAt + direction]);
      if (!start || !spot) return;
      comments.extend(start, spot);
      moveTo(cursorAt + direction);
    },
    onComment: () => {
      const spot = spotOf(rows[cursorAt]);
      if (spot) comments.begin(spot);
    },
  });
  const open = useCallback(
    (gap: number, more: Opened) =>
      setOpened((before) => {
        const now = before.get(gap) ?? { top: 0, bottom: 0 };
        return new Map(before).set(gap, { top: now.top + more.top, bottom: now.bottom + more.bottom });
      }),
    [],
  );
  const point = useStable(comments.point);
  const press = useStable(comments.begin);
  const lastFold = base.findLastIndex((row) => row.kind === "fold");
  const render = (row: ShownRow, index: number) => {
    switch (row.kind) {
      case "fold":
        return <FoldLine row={row} canOpen={canOpen} isFirst={row.gap === 0} isLast={base[lastFold] === row && base.at(-1) === row} onOpen={open} />;
      case "line":
        return (
          <DiffLine
            row={row}
            isSplit={isSplit}
            isCursor={index === cursorAt}
            isChosen={isInside(row, comments.chosen)}
            highlight={highlight}
            onPoint={point}
            onPress={press}
          />
        );
      case "comment":
        return <CommentBox comment={row.comment} onEdit={() => comments.edit(row.comment)} onRemove={() => comments.remove(row.comment)} />;
      case "draft":
        return comments.draft ? (
          <CommentDraft
            place={linesLabel(comments.draft)}
            text={comments.draft.text}
            onText={comments.write}
            onSave={comments.save}
            onCancel={comments.cancel}
          />
        ) : null;
    }
  };
  const widest = Math.max(...patch.hunks.map((hunk) => Math.max(hunk.oldStart + hunk.oldCount, hunk.newStart + hunk.newCount)), lines?.length ?? 0);
  const style = { height: virtual.getTotalSize(), "--number": `${String(widest).length * 7 + 26}px` } as CSSProperties;
  return (
    <>
      <FileNotes file={file} patch={patch} missing={missing} hidesSpace={ignoresSpace} />
      {rows.length === 0 ? (
        <EmptyState title={patch.hunks.length > 0 ? "Only white space changed" : "No lines changed"} />
      ) : (
        <div ref={scroller} className={classes.scroller} tabIndex={0} role="region" aria-label={`Changes in ${file.path}`}>
          <div className={classes.inside} style={style}>
            {virtual.getVirtualItems().map(({ index, start, key }) => {
              const row = rows[index];
              if (!row) return null;
              return (
                <div key={key} ref={virtual.measureElement} data-index={index} data-row={row.kind} className={rowClasses.row} style={{ transform: `translateY(${start}px)` }}>
                  {render(row, index)}
                </div>
              );
            })}
          </div>
        </div>
      )}
    </>
  );
}

function spotOf(row: ShownRow | undefined): Spot | null {
  if (row?.kind !== "line") return null;
  if (row.right?.new != null) return { side: "new", line: row.right.new };
  return row.left?.old != null ? { side: "old", line: row.left.old } : null;
}
