/** A patch as rows to show. */
import type { Segment } from "@/ui/code/highlight/use-highlight";

import type { Hunk, Patch, PatchLine } from "./patch";

export type LineRow = {
  kind: "line";
  key: string;
  /** The line before; in a unified view a row has one side unless nothing changed. */
  left: PatchLine | null;
  right: PatchLine | null;
  /** The line that took its place, or whose place it took; for a unified view. */
  twin: PatchLine | null;
};
export type FoldRow = { kind: "fold"; key: string; gap: number; /** `null`: not known. */ count: number | null; section: string };
export type DiffRow = LineRow | FoldRow;

/** How many lines of a gap are shown: from its beginning and from its end. */
export type Opened = { top: number; bottom: number };

export type RowOptions = {
  isSplit: boolean;
  ignoresSpace: boolean;
  /** What was unfolded, by gap; gap 0 is before the first hunk. */
  opened: ReadonlyMap<number, Opened>;
  /** All lines of the newer side, once they are known. */
  lines: readonly string[] | null;
  /** Whether lines between the hunks can be had. */
  canOpen: boolean;
};

export function diffRows(patch: Patch, options: RowOptions): DiffRow[] {
  const rows: DiffRow[] = [];
  let newNext = 1;
  let shift = 0;
  const hunks = options.ignoresSpace ? patch.hunks.map(withoutSpace).filter(hasChange) : patch.hunks;
  hunks.forEach((hunk, index) => {
    const gap = Math.max(0, hunk.newStart - newNext);
    shift = hunk.oldStart - hunk.newStart;
    pushGap(rows, { gap: index, first: newNext, count: gap, shift, section: hunk.section, isLast: false }, options);
    pushHunk(rows, hunk, index, options.isSplit);
    newNext = hunk.newStart + hunk.newCount;
    shift = hunk.oldStart + hunk.oldCount - newNext;
  });
  if (hunks.length > 0 && isOpenEnded(patch)) {
    const count = options.lines ? Math.max(0, options.lines.length - newNext + 1) : null;
    if (count !== 0) pushGap(rows, { gap: hunks.length, first: newNext, count, shift, section: "", isLast: true }, options);
  }
  return rows;
}

/** A new or deleted file has nothing besides its hunk. */
function isOpenEnded(patch: Patch): boolean {
  const last = patch.hunks.at(-1);
  if (!last || last.oldCount === 0 || last.newCount === 0) return false;
  return last.lines.at(-1)?.kind === "same" && last.lines.at(-1)?.isUnended !== true;
}

type Gap = { gap: number; first: number; count: number | null; shift: number; section: string; isLast: boolean };

function pushGap(rows: DiffRow[], gap: Gap, { opened, lines, canOpen }: RowOptions): void {
  const open = lines ? opened.get(gap.gap) : undefined;
  const count = gap.count;
  const top = Math.min(open?.top ?? 0, count ?? 0);
  const bottom = Math.min(open?.bottom ?? 0, (count ?? 0) - top);
  for (let offset = 0; offset < top; offset += 1) rows.push(contextRow(gap, offset, lines));
  const left = count === null ? null : count - top - bottom;
  // At the end of the file there is nothing to say when its lines cannot be had.
  if (left !== 0 && (canOpen || !gap.isLast)) rows.push({ kind: "fold", key: `fold-${gap.gap}`, gap: gap.gap, count: left, section: gap.section });
  else if (left === 0 && count === 0 && gap.section !== "" && gap.gap > 0) {
    rows.push({ kind: "fold", key: `fold-${gap.gap}`, gap: gap.gap, count: 0, section: gap.section });
  }
  for (let offset = (count ?? 0) - bottom; offset < (count ?? 0); offset += 1) rows.push(contextRow(gap, offset, lines));
}

function contextRow(gap: Gap, offset: number, lines: readonly string[] | null): LineRow {
  const number = gap.first + offset;
  const line: PatchLine = { kind: "same", text: lines?.[number - 1] ?? "", old: number + gap.shift, new: number };
  return { kind: "line", key: `n${number}`, left: line, right: line, twin: null };
}

function pushHunk(rows: DiffRow[], hunk: Hunk, index: number, isSplit: boolean): void {
  for (const block of blocks(hunk.lines)) {
    if ("same" in block) {
      rows.push({ kind: "line", key: `${index}-n${block.same.new}`, left: block.same, right: block.same, twin: null });
      continue;
    }
    const { gone, come } = block;
    if (isSplit) {
      for (let at = 0; at < Math.max(gone.length, come.length); at += 1) {
        const left = gone[at] ?? null;
        const right = come[at] ?? null;
        rows.push({ kind: "line", key: `${index}-o${left?.old ?? "x"}-n${right?.new ?? "x"}`, left, right, twin: null });
      }
      continue;
    }
    gone.forEach((line, at) => rows.push({ kind: "line", key: `${index}-o${line.old}`, left: line, right: null, twin: come[at] ?? null }));
    come.forEach((line, at) => rows.push({ kind: "line", key: `${index}-n${line.new}`, left: null, right: line, twin: gone[at] ?? null }));
  }
}

type Block = { same: PatchLine } | { gone: PatchLine[]; come: PatchLine[] };

function blocks(lines: readonly PatchLine[]): Block[] {
  const found: Block[] = [];
  for (const line of lines) {
    if (line.kind === "same") {
      found.push({ same: line });
      continue;
    }
    let last = found.at(-1);
    if (!last || "same" in last || (line.kind === "del" && last.come.length > 0)) {
      last = { gone: [], come: [] };
      found.push(last);
    }
    (line.kind === "del" ? last.gone : last.come).push(line);
  }
  return found;
}

function hasChange(hunk: Hunk): boolean {
  return hunk.lines.some((line) => line.kind !== "same");
}

const squeezed = (text: string) => text.replace(/\s+/g, "");

/** Lines that differ in white space only count as the same. */
function withoutSpace(hunk: Hunk): Hunk {
  const lines: PatchLine[] = [];
  for (const block of blocks(hunk.lines)) {
    if ("same" in block) {
      lines.push(block.same);
      continue;
    }
    let next = 0;
    let taken = 0;
    block.gone.forEach((line, at) => {
      const twin = block.come.findIndex((other, place) => place >= next && squeezed(other.text) === squeezed(line.text));
      if (twin === -1) return;
      lines.push(...block.gone.slice(taken, at), ...block.come.slice(next, twin));
      const now = block.come[twin];
      if (now) lines.push({ ...now, kind: "same", old: line.old });
      taken = at + 1;
      next = twin + 1;
    });
    lines.push(...block.gone.slice(taken), ...block.come.slice(next));
  }
  return { ...hunk, lines };
}

/** Where each change begins. */
export function changeStarts(rows: readonly DiffRow[]): number[] {
  const isChange = (row: DiffRow | undefined) => row?.kind === "line" && (row.left?.kind === "del" || row.right?.kind === "add");
  return rows.flatMap((row, index) => (isChange(row) && !isChange(rows[index - 1]) ? [index] : []));
}

/** The text of each side, in parts without gaps, for whoever reads it as code. */
export function segments(rows: readonly DiffRow[]): Segment[] {
  const found: Segment[] = [];
  for (const side of ["old", "new"] as const) {
    let lines: string[] = [];
    let first = 0;
    const end = () => {
      if (lines.length > 0) found.push({ side, first, text: lines.join("\n") });
      lines = [];
    };
    for (const row of rows) {
      if (row.kind !== "line") continue;
      const line = side === "old" ? row.left : row.right;
      const number = side === "old" ? line?.old : line?.new;
      if (!line || number == null) continue;
      if (number !== first + lines.length) {
        end();
        first = number;
      }
      lines.push(line.text);
    }
    end();
  }
  return found;
}
