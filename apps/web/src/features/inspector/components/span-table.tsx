import { type CSSProperties } from "react";

import type { Iteration } from "@/api/types";
import { CostFigure, Duration, Tokens, Unknown } from "@/ui/figures";
import { useNow } from "@/ui/use-now";
import { type Column, VirtualTable } from "@/ui/virtual-table";

import type { Span } from "../model";
import classes from "./inspector.module.css";

type Props = { spans: readonly Span[]; iteration: Iteration; selected: string | undefined; onSelect: (span: string) => void };

/** Spans as rows, each with its bar in the time of the iteration. */
export function SpanTable({ spans, iteration, selected, onSelect }: Props) {
  const now = useNow();
  const begin = Date.parse(spans[0]?.start ?? iteration.started_at ?? iteration.queued_at);
  const length = Math.max(1, iteration.duration_ms ?? now - begin, ...spans.map((span) => Date.parse(span.start) - begin + (span.ms ?? 0)));
  const columns: Column<Span>[] = [
    { key: "type", title: "Type", width: "88px", render: (span) => span.type },
    {
      key: "name",
      title: "Span",
      width: "minmax(120px, 1fr)",
      render: (span) => (
        <button type="button" className={classes.name} data-bad={span.error !== null || undefined} onClick={() => onSelect(span.key)}>
          {span.name}
        </button>
      ),
    },
    { key: "start", title: "Start", width: "76px", align: "right", render: (span) => offset(Date.parse(span.start) - begin) },
    { key: "duration", title: "Duration", width: "84px", align: "right", render: (span) => <SpanDuration span={span} /> },
    { key: "bar", title: "", width: "minmax(60px, 0.7fr)", render: (span) => <Bar span={span} begin={begin} length={length} now={now} /> },
    { key: "tokens", title: "Tokens", width: "68px", align: "right", render: (span) => (span.usage === null ? "" : <Tokens usage={span.usage} />) },
    { key: "cost", title: "Cost", width: "68px", align: "right", render: (span) => (span.cost === null ? "" : <CostFigure cost={span.cost} />) },
    { key: "error", title: "Error", width: "minmax(60px, 0.6fr)", render: (span) => <span className={`${classes.error} truncate`}>{span.error}</span> },
  ];
  return <VirtualTable label="Spans" rows={spans} columns={columns} rowKey={(span) => span.key} rowHeight={27} isSelected={(span) => span.key === selected} onOpen={(span) => onSelect(span.key)} />;
}

function SpanDuration({ span }: { span: Span }) {
  if (span.isRunning) {
    return (
      <span title="It runs">
        running <Duration ms={null} since={span.start} />
      </span>
    );
  }
  if (span.ms === null) return <Unknown why="Its end was not told" />;
  return span.ms === 0 ? "" : <Duration ms={span.ms} />;
}

function Bar({ span, begin, length, now }: { span: Span; begin: number; length: number; now: number }) {
  const from = (Date.parse(span.start) - begin) / length;
  const ms = span.ms ?? (span.isRunning ? now - Date.parse(span.start) : 0);
  const style: CSSProperties = { left: `${Math.min(99, Math.max(0, from) * 100)}%`, width: `${Math.min(1, ms / length) * 100}%` };
  return (
    <span className={classes.track}>
      <span className={classes.span} data-type={span.type} data-bad={span.error !== null || undefined} data-running={span.isRunning || undefined} style={style} />
    </span>
  );
}

/** Since the beginning: `+1.25 s`. */
function offset(ms: number): string {
  return ms < 60_000 ? `+${(ms / 1_000).toFixed(2)} s` : `+${Math.floor(ms / 60_000)} m ${String(Math.floor((ms % 60_000) / 1_000)).padStart(2, "0")} s`;
}
