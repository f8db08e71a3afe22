import { useEffect, useState } from "react";

import { tellDone } from "@/ui/toasts";

import { type Anchor, type LineComment, removeComments, restoreComments, saveComment, useComments } from "../comments";
import type { DiffRow } from "../rows";
import type { Spot } from "./diff-line";

export type Draft = Anchor & { id?: string; text: string };
export type ShownRow = DiffRow | { kind: "comment"; key: string; comment: LineComment } | { kind: "draft"; key: string };

/** Comments on the lines of one file, and the one that is being written. */
export function useLineComments(session: string, path: string, rows: readonly DiffRow[]) {
  const comments = useComments(session).filter((it) => it.path === path);
  const [draft, setDraft] = useState<Draft | null>(null);
  /** Lines that are being marked with the pointer. */
  const [marked, setMarked] = useState<Anchor | null>(null);
  useEffect(() => {
    if (!marked) return;
    const end = () => {
      setMarked(null);
      setDraft((before) => ({ ...marked, text: before?.text ?? "" }));
    };
    window.addEventListener("pointerup", end, { once: true });
    return () => window.removeEventListener("pointerup", end);
  }, [marked]);

  /** Lines that are being marked with keys. */
  const [range, setRange] = useState<Anchor | null>(null);
  const only = ({ side, line }: Spot): Anchor => ({ path, side, from: line, to: line });
  const joined = (anchor: Anchor, { side, line }: Spot): Anchor =>
    anchor.side === side ? { path, side, from: Math.min(anchor.from, line), to: Math.max(anchor.to, line) } : anchor;
  return {
    draft,
    chosen: marked ?? range ?? draft,
    /** Rows with comments below their lines. */
    rows: withComments(rows, comments, draft),
    /** Begins a comment on a line, or on the range it is in. */
    begin: (spot: Spot) => {
      const anchor = range?.side === spot.side && spot.line >= range.from && spot.line <= range.to ? range : only(spot);
      setDraft({ ...anchor, text: "" });
      setRange(null);
    },
    extend: (start: Spot, spot: Spot) => setRange((before) => joined(before ?? only(start), spot)),
    point: (spot: Spot, { isStart, isExtending }: { isStart: boolean; isExtending: boolean }) => {
      if (isStart) setMarked(isExtending && draft ? joined(draft, spot) : only(spot));
      else setMarked((before) => before && joined(before, spot));
    },
    write: (text: string) => setDraft((before) => before && { ...before, text }),
    cancel: () => setDraft(null),
    save: () => {
      if (draft) saveComment(session, { ...draft, quote: quoteOf(rows, draft) });
      setDraft(null);
    },
    edit: (comment: LineComment) => setDraft(comment),
    remove: (comment: LineComment) => {
      removeComments(session, [comment]);
      tellDone("Comment removed", { run: () => restoreComments(session, [comment]) });
    },
  };
}

function lineOn(row: DiffRow, side: "old" | "new") {
  if (row.kind !== "line") return null;
  const line = side === "old" ? row.left : row.right;
  const number = side === "old" ? line?.old : line?.new;
  return line && number != null ? { number, text: line.text } : null;
}

export function isInside(row: DiffRow, anchor: Anchor | null): boolean {
  if (!anchor) return false;
  const line = lineOn(row, anchor.side);
  return line !== null && line.number >= anchor.from && line.number <= anchor.to;
}

function quoteOf(rows: readonly DiffRow[], anchor: Anchor): string {
  return rows
    .filter((row) => isInside(row, anchor))
    .map((row) => lineOn(row, anchor.side)?.text ?? "")
    .join("\n");
}

function withComments(rows: readonly DiffRow[], comments: readonly LineComment[], draft: Draft | null): ShownRow[] {
  if (comments.length === 0 && !draft) return [...rows];
  const shown: ShownRow[] = [];
  for (const row of rows) {
    shown.push(row);
    for (const comment of comments) {
      const line = lineOn(row, comment.side);
      // A line that reads otherwise by now is another line; its comment is in the list all the same.
      if (line?.number !== comment.to || !comment.quote.endsWith(line.text) || comment.id === draft?.id) continue;
      shown.push({ kind: "comment", key: `comment-${comment.id}`, comment });
    }
    if (draft && lineOn(row, draft.side)?.number === draft.to) shown.push({ kind: "draft", key: "draft" });
  }
  return shown;
}
