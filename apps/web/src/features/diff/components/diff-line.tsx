import { type PointerEvent, memo, useMemo } from "react";

import { CodeLine } from "@/ui/code/code-line";
import code from "@/ui/code/code.module.css";
import type { Highlight } from "@/ui/code/highlight/use-highlight";
import { wordDiff } from "@/ui/code/words";

import type { Anchor } from "../comments";
import type { PatchLine } from "../patch";
import type { LineRow } from "../rows";
import classes from "./diff-rows.module.css";

export type Spot = Pick<Anchor, "side"> & { line: number };

type Props = {
  row: LineRow;
  isSplit: boolean;
  isCursor: boolean;
  /** Whether a comment on it is being written. */
  isChosen: boolean;
  highlight: Highlight;
  /** The pointer goes down on a number, or comes to it while it is down. */
  onPoint: (spot: Spot, event: { isStart: boolean; isExtending: boolean }) => void;
  /** A number was pressed by key. */
  onPress: (spot: Spot) => void;
};

/** One line of a diff, or two beside each other. */
export const DiffLine = memo(function DiffLine({ row, isSplit, isCursor, isChosen, highlight, onPoint, onPress }: Props) {
  const { left, right } = row;
  const words = useMemo(() => changedWords(row), [row]);
  const shared = { onPoint, onPress };
  const flags = { "data-cursor": isCursor || undefined, "data-chosen": isChosen || undefined };
  if (isSplit) {
    return (
      <div className={classes.line} data-split="" {...flags}>
        <LineNumber line={left} side="old" {...shared} />
        <Side line={left} side="old" highlight={highlight} changed={words?.before} />
        <LineNumber line={right} side="new" isDivided {...shared} />
        <Side line={right} side="new" highlight={highlight} changed={words?.after} />
      </div>
    );
  }
  const line = right ?? left;
  const side = right ? "new" : "old";
  const change = line?.kind ?? "same";
  return (
    <div className={classes.line} {...flags}>
      <LineNumber line={left} side="old" change={change} {...shared} />
      <LineNumber line={right} side="new" change={change} {...shared} />
      <Side line={line} side={side} highlight={highlight} changed={side === "old" ? words?.before : words?.after} />
    </div>
  );
});

function changedWords({ left, right, twin }: LineRow) {
  const before = left?.kind === "del" ? left : twin?.kind === "del" ? twin : null;
  const after = right?.kind === "add" ? right : twin?.kind === "add" ? twin : null;
  return before && after ? wordDiff(before.text, after.text) : null;
}

const SIGNS = { same: " ", add: "+", del: "−" } as const;

function Side({ line, side, highlight, changed }: { line: PatchLine | null; side: "old" | "new"; highlight: Highlight; changed?: { start: number; end: number }[] }) {
  const tokens = useMemo(() => highlight(side, line ? (side === "old" ? line.old : line.new) : null), [highlight, side, line]);
  if (!line) {
    return (
      <>
        <span className={`${classes.side} ${classes.sign}`} data-change="none" />
        <span className={classes.side} data-change="none" />
      </>
    );
  }
  return (
    <>
      <span className={`${classes.side} ${classes.sign}`} data-change={line.kind}>
        {SIGNS[line.kind]}
      </span>
      <span className={`${classes.side} ${classes.text} ${code.code}`} data-change={line.kind}>
        <CodeLine text={line.text} tokens={tokens} changed={changed} />
        {line.isUnended && <span className={classes.unended}>no line break at the end</span>}
      </span>
    </>
  );
}

type NumberProps = {
  line: PatchLine | null;
  side: "old" | "new";
  change?: PatchLine["kind"];
  isDivided?: boolean;
} & Pick<Props, "onPoint" | "onPress">;

function LineNumber({ line, side, change, isDivided, onPoint, onPress }: NumberProps) {
  const number = side === "old" ? line?.old : line?.new;
  const style = isDivided ? classes.divider : undefined;
  if (!line || number == null) return <span data-part="number" data-change={change ?? "none"} className={style} />;
  const spot: Spot = { side: line.kind === "same" ? "new" : side, line: line.kind === "same" ? (line.new ?? number) : number };
  const point = (isStart: boolean) => (event: PointerEvent) => {
    if (isStart ? event.button !== 0 : event.buttons !== 1) return;
    if (isStart) event.preventDefault();
    onPoint(spot, { isStart, isExtending: event.shiftKey });
  };
  return (
    <button
      type="button"
      tabIndex={-1}
      data-part="number"
      data-change={line.kind}
      className={style}
      aria-label={`Comment on line ${number}${side === "old" && line.kind === "del" ? " as it was" : ""}`}
      onPointerDown={point(true)}
      onPointerEnter={point(false)}
      onClick={(event) => {
        // Pointers are told apart by where they go up; keys and readers click only.
        if (event.detail === 0) onPress(spot);
      }}
    >
      {number}
    </button>
  );
}
