import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useEffectEvent, useMemo, useRef } from "react";

import { CodeLine } from "@/ui/code/code-line";
import code from "@/ui/code/code.module.css";
import { type Segment, useHighlight } from "@/ui/code/highlight/use-highlight";
import { plural } from "@/ui/format";
import { linesOf } from "@/ui/lines";

import { type Cell, type ChunkKind, type ThreeRow, threeWay } from "../three-way";
import classes from "./three-way.module.css";

type Side = "ours" | "base" | "theirs";
type Props = { path: string; onto: string; ours: string | null; base: string | null; theirs: string | null };

const LINE = 20;

/** What both sides made of what they started from. */
export function ThreeWayView({ path, onto, ours, base, theirs }: Props) {
  const rows = useMemo(() => threeWay(linesOf(ours ?? ""), linesOf(base ?? ""), linesOf(theirs ?? "")), [ours, base, theirs]);
  const colours = { ours: useColours(path, ours), base: useColours(path, base), theirs: useColours(path, theirs) };
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- rows come from the virtualizer, so it must not be memoised
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    measureElement: (element) => element.getBoundingClientRect().height || LINE,
    overscan: 20,
  });
  const showFirst = useEffectEvent(() => {
    const first = rows.findIndex((row) => row.kind === "line" && row.change === "conflict");
    if (first !== -1) virtual.scrollToIndex(first, { align: "center" });
  });
  useEffect(() => showFirst(), [path]);
  return (
    <div className={classes.three}>
      <div className={classes.titles}>
        <span title="Ours, as git says">{onto}{ours === null && ": not there"}</span>
        <span>Before both{base === null && ": not there"}</span>
        <span title="Theirs, as git says">This session{theirs === null && ": not there"}</span>
      </div>
      <div ref={scroller} className={classes.scroller} tabIndex={0} role="region" aria-label="Three versions">
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (!row) return null;
            return (
              <div key={index} ref={virtual.measureElement} data-index={index} className={classes.row} style={{ transform: `translateY(${start}px)` }}>
                <Row row={row} colours={colours} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

type Colours = Record<Side, ReturnType<typeof useHighlight>>;

function Row({ row, colours }: { row: ThreeRow; colours: Colours }) {
  if (row.kind === "fold") return <div className={classes.fold}>{plural(row.count, "line")} that all have</div>;
  return (
    <div className={classes.line}>
      {(["ours", "base", "theirs"] as const).map((side) => (
        <Version key={side} cell={row[side]} mark={markOf(row.change, side)} tokens={colours[side]("new", row[side]?.number ?? null)} />
      ))}
    </div>
  );
}

function Version({ cell, mark, tokens }: { cell: Cell; mark: { tone: string } | null; tokens: ReturnType<Colours["ours"]> }) {
  const shown = { "data-mark": cell === null ? "none" : mark ? "" : undefined, "data-tone": mark?.tone };
  return (
    <>
      <span className={classes.number} {...shown}>
        {cell?.number}
      </span>
      <span className={`${classes.text} ${code.code}`} {...shown}>
        {cell && <CodeLine text={cell.text} tokens={tokens} />}
      </span>
    </>
  );
}

/** A change is marked where it was made, and in what it replaced. */
function markOf(change: ChunkKind, side: Side): { tone: string } | null {
  if (change === "same") return null;
  if (change === "conflict") return { tone: side === "base" ? "quiet" : "danger" };
  if (side === "base") return { tone: "quiet" };
  return change === "both" || change === side ? { tone: "good" } : null;
}

function useColours(path: string, text: string | null) {
  const parts = useMemo<Segment[]>(() => (text === null ? [] : [{ side: "new", first: 1, text }]), [text]);
  return useHighlight(path, parts);
}
