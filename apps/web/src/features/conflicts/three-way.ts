/** Three versions of a text beside each other. */
import { matches } from "./lines";

export type ChunkKind = "same" | "ours" | "theirs" | "both" | "conflict";
export type Cell = { number: number; text: string } | null;
export type ThreeRow =
  | { kind: "line"; change: ChunkKind; ours: Cell; base: Cell; theirs: Cell }
  | { kind: "fold"; count: number };

type Chunk = { change: ChunkKind; ours: Span; base: Span; theirs: Span };
type Span = { from: number; to: number };

/** Unchanged lines that are left around a change. */
const CONTEXT = 3;

export function threeWay(ours: readonly string[], base: readonly string[], theirs: readonly string[]): ThreeRow[] {
  const chunks = chunked(ours, base, theirs);
  return chunks.flatMap((chunk, index) => {
    const rows = chunkRows(chunk, ours, base, theirs);
    return chunk.change === "same" ? folded(rows, { isFirst: index === 0, isLast: index === chunks.length - 1 }) : rows;
  });
}

function chunked(ours: readonly string[], base: readonly string[], theirs: readonly string[]): Chunk[] {
  const inOurs = matches(base, ours);
  const inTheirs = matches(base, theirs);
  const chunks: Chunk[] = [];
  const at = { ours: 0, base: 0, theirs: 0 };
  const push = (to: typeof at, isSame: boolean) => {
    const spans = { ours: { from: at.ours, to: to.ours }, base: { from: at.base, to: to.base }, theirs: { from: at.theirs, to: to.theirs } };
    if (to.ours > at.ours || to.base > at.base || to.theirs > at.theirs) {
      chunks.push({ change: isSame ? "same" : changeOf(spans, ours, base, theirs), ...spans });
    }
    Object.assign(at, to);
  };
  const isKept = (line: number) => (inOurs[line] ?? -1) >= 0 && (inTheirs[line] ?? -1) >= 0;
  for (let line = 0; line < base.length; ) {
    if (!isKept(line)) {
      line += 1;
      continue;
    }
    push({ ours: inOurs[line] ?? 0, base: line, theirs: inTheirs[line] ?? 0 }, false);
    let end = line;
    while (isKept(end) && inOurs[end] === (inOurs[line] ?? 0) + end - line && inTheirs[end] === (inTheirs[line] ?? 0) + end - line) end += 1;
    push({ ours: at.ours + end - line, base: end, theirs: at.theirs + end - line }, true);
    line = end;
  }
  push({ ours: ours.length, base: base.length, theirs: theirs.length }, false);
  return chunks;
}

function changeOf(spans: Record<"ours" | "base" | "theirs", Span>, ours: readonly string[], base: readonly string[], theirs: readonly string[]): ChunkKind {
  const isSame = (one: readonly string[], a: Span, other: readonly string[], b: Span) =>
    a.to - a.from === b.to - b.from && one.slice(a.from, a.to).every((line, index) => line === other[b.from + index]);
  if (isSame(ours, spans.ours, base, spans.base)) return "theirs";
  if (isSame(theirs, spans.theirs, base, spans.base)) return "ours";
  return isSame(ours, spans.ours, theirs, spans.theirs) ? "both" : "conflict";
}

function chunkRows(chunk: Chunk, ours: readonly string[], base: readonly string[], theirs: readonly string[]): ThreeRow[] {
  const cell = (lines: readonly string[], { from, to }: Span, offset: number): Cell => {
    const text = from + offset < to ? lines[from + offset] : undefined;
    return text === undefined ? null : { number: from + offset + 1, text };
  };
  const height = Math.max(...[chunk.ours, chunk.base, chunk.theirs].map((span) => span.to - span.from));
  return Array.from({ length: height }, (_, offset) => ({
    kind: "line",
    change: chunk.change,
    ours: cell(ours, chunk.ours, offset),
    base: cell(base, chunk.base, offset),
    theirs: cell(theirs, chunk.theirs, offset),
  }));
}

function folded(rows: ThreeRow[], { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): ThreeRow[] {
  const top = isFirst ? 0 : CONTEXT;
  const bottom = isLast ? 0 : CONTEXT;
  if (rows.length <= top + bottom + 1) return rows;
  return [...rows.slice(0, top), { kind: "fold", count: rows.length - top - bottom }, ...rows.slice(rows.length - bottom)];
}
