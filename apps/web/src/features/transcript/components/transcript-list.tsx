import { Button, Skeleton } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";

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

type Props = { session: Session; extent: Extent; at?: number; find?: string; onLeaveAt: () => void };

/** The rows in sight of a transcript of any length. It follows the end while it is there, and never moves otherwise. */
export function TranscriptList({ session, extent, at, find, onLeaveAt }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const cache = useQueryClient();
  const [middle, setMiddle] = useState<number | null>(at ?? null);
  const [isAtEnd, setAtEnd] = useState(at === undefined);
  const [seenEnd, setSeenEnd] = useState(extent.end);
  const { after, to } = windowOf(extent, middle);
  // eslint-disable-next-line react-hooks/incompatible-library -- rows come from the virtualizer, so it must not be memoised
  const virtual = useVirtualizer({
    count: to - after,
    getScrollElement: () => scroller.current,
    estimateSize: () => 34,
    getItemKey: (index) => after + index + 1,
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
    if (isEnd && middle !== null) setMiddle(null);
    else if ((startIndex < EDGE && after > extent.begin) || (endIndex > to - after - EDGE && to < extent.end)) {
      setMiddle(after + Math.floor((startIndex + endIndex) / 2));
    }
  };

  const showEnd = useEffectEvent(() => {
    virtual.scrollToEnd();
  });
  const show = useEffectEvent((position: number) => virtual.scrollToIndex(position - after - 1, { align: "center" }));
  useLayoutEffect(() => {
    if (at === undefined) showEnd();
  }, [at]);
  useEffect(() => {
    if (at === undefined) return;
    let isOver = false;
    const position = Math.max(extent.begin + 1, Math.min(at, extent.end));
    setMiddle(position);
    // Rows that are there have their height: what is shown then stays where it is.
    void cache
      .query({ ...partQuery(session.id, partOf(position)), staleTime: "static" })
      .catch(() => undefined)
      .then(() => requestAnimationFrame(() => !isOver && show(position)));
    return () => {
      isOver = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a transcript that grows is no reason to go there again
  }, [at, session.id]);

  const items = virtual.getVirtualItems();
  const first = after + (items[0]?.index ?? 0) + 1;
  const last = after + (items.at(-1)?.index ?? -1) + 1;
  const { itemAt, failure, retry } = useParts(session.id, first, last);
  if (failure) return <FailedState title="The transcript cannot be read" failure={asApiError(failure)} onRetry={retry} />;
  const jump = () => {
    if (at !== undefined) onLeaveAt();
    setMiddle(null);
    requestAnimationFrame(() => virtual.scrollToEnd());
  };
  return (
    <div className={classes.frame}>
      <div ref={scroller} className={classes.scroller} tabIndex={0} role="feed" aria-label="Transcript" aria-busy={false}>
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
