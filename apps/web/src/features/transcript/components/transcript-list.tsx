import { Button, Skeleton } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffectEvent, useLayoutEffect, useRef, useState } from "react";

import { asApiError } from "@/api/error";
import { type Extent, partOf, partQuery } from "@/api/queries/transcript";
import type { Session } from "@/api/types";
import { formatWhole } from "@/ui/format";
import { FailedState } from "@/ui/states";

import { windowOf } from "../model";
import rows from "./rows.module.css";
import classes from "./transcript.module.css";
import { TranscriptRow } from "./transcript-row";
import { useParts } from "./use-parts";

/** Rows beyond the ends of the window that are in sight before it moves. */
const EDGE = 100;
/** This near to the end it is followed. */
const END_PX = 32;

/** Where the list is on its way to; the end without a position. */
type Goal = { position: number | null };

type Props = { session: Session; extent: Extent; at?: number; find?: string; onLeaveAt: () => void };

/** The rows in sight of a transcript of any length. It follows the end while it is there, and never moves otherwise. */
export function TranscriptList({ session, extent, at, find, onLeaveAt }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const cache = useQueryClient();
  const [shownAt, setShownAt] = useState(at);
  const [middle, setMiddle] = useState<number | null>(at ?? null);
  const [goal, setGoal] = useState<Goal | null>({ position: at ?? null });
  const [isAtEnd, setAtEnd] = useState(at === undefined);
  const [seenEnd, setSeenEnd] = useState(extent.end);
  if (shownAt !== at) {
    setShownAt(at);
    setMiddle(at ?? null);
    setGoal({ position: at ?? null });
  }
  const { after, to } = windowOf(extent, middle);
  const getItemKey = useCallback((index: number) => after + index + 1, [after]);
  // eslint-disable-next-line react-hooks/incompatible-library -- rows come from the virtualizer, so it must not be memoised
  const virtual = useVirtualizer({
    count: to - after,
    getScrollElement: () => scroller.current,
    estimateSize: () => 34,
    getItemKey,
    overscan: 15,
    anchorTo: "end",
    followOnAppend: to === extent.end,
    scrollEndThreshold: END_PX,
    paddingStart: 8,
    paddingEnd: 16,
    onChange: (instance) => {
      if (instance.scrollOffset !== null) notice(instance.range?.startIndex ?? 0, instance.range?.endIndex ?? 0, instance.isAtEnd(END_PX));
    },
  });

  const notice = (startIndex: number, endIndex: number, isLast: boolean) => {
    const isEnd = isLast && to === extent.end;
    if (isEnd !== isAtEnd) setAtEnd(isEnd);
    if (isEnd && seenEnd !== extent.end) setSeenEnd(extent.end);
    // On the way somewhere, what passes by says nothing.
    if (goal !== null) return;
    if (isEnd && middle !== null) setMiddle(null);
    else if ((startIndex < EDGE && after > extent.begin) || (endIndex > to - after - EDGE && to < extent.end)) {
      setMiddle(after + Math.floor((startIndex + endIndex) / 2));
    }
  };

  const arrive = useEffectEvent((position: number | null) => {
    if (position === null) virtual.scrollToEnd();
    else virtual.scrollToIndex(within(position, extent) - after - 1, { align: "center" });
  });
  const prepare = useEffectEvent((position: number | null) => {
    const part = partOf(position === null ? Math.max(1, extent.end) : within(position, extent));
    // Rows that are there have their height: what is shown then stays where it is.
    return cache.query({ ...partQuery(session.id, part), staleTime: "static" }).then(
      () => undefined,
      () => undefined,
    );
  });
  useLayoutEffect(() => {
    if (goal === null) return;
    let isOver = false;
    const goThere = () => {
      if (!isOver) arrive(goal.position);
    };
    if (goal.position === null) arrive(null);
    void prepare(goal.position)
      .then(nextFrame)
      .then(goThere)
      .then(nextFrame)
      .then(goThere)
      .then(nextFrame)
      .then(() => {
        if (!isOver) setGoal(null);
      });
    return () => {
      isOver = true;
    };
  }, [goal]);

  const items = virtual.getVirtualItems();
  const first = after + (items[0]?.index ?? 0) + 1;
  const last = after + (items.at(-1)?.index ?? -1) + 1;
  const { itemAt, failure, retry } = useParts(session.id, first, last);
  if (failure) return <FailedState title="The transcript cannot be read" failure={asApiError(failure)} onRetry={retry} />;
  const jump = () => {
    if (at !== undefined) onLeaveAt();
    setMiddle(null);
    setGoal({ position: null });
  };
  return (
    <div className={classes.frame}>
      <div ref={scroller} className={classes.scroller} tabIndex={0} role="region" aria-label="What was said and done">
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {items.map((row) => {
            const position = after + row.index + 1;
            const item = itemAt(position);
            return (
              <div key={row.key} ref={virtual.measureElement} data-index={row.index} className={classes.slot} style={{ transform: `translateY(${row.start}px)` }}>
                {item ? (
                  <TranscriptRow item={item} session={session.id} worktree={session.worktree_path} find={find} isCurrent={position === at} />
                ) : (
                  <div className={rows.placeholder}>
                    <Skeleton height={9} width={`${30 + ((position * 37) % 45)}%`} />
                  </div>
                )}
              </div>
            );
          })}
        </div>
      </div>
      {!isAtEnd && (
        <Button className={classes.toEnd} size="compact-sm" variant="default" leftSection={<IconArrowDown size={13} />} onClick={jump}>
          {extent.end > seenEnd ? `${formatWhole(extent.end - seenEnd)} new` : "To the end"}
        </Button>
      )}
    </div>
  );
}

function within(position: number, { begin, end }: Extent): number {
  return Math.max(begin + 1, Math.min(position, end));
}

function nextFrame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => resolve()));
}
