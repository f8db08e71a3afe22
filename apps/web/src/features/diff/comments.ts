/** Comments on lines, gathered until they are sent. They outlive the page. */
import { useSyncExternalStore } from "react";

import { newKey } from "@/api/client";
import { platform } from "@/platform/current";
import type { Channel } from "@/platform/platform";

/** A line, or a range of lines, of one side of a file. */
export type Anchor = { path: string; side: "old" | "new"; from: number; to: number };

export type LineComment = Anchor & {
  id: string;
  /** The lines as they were when the comment was written. */
  quote: string;
  text: string;
};

/** Quotes are for finding the place; the agent has the file. */
const QUOTED_LINES = 12;
const CHANNEL = "diff-comments";
const key = (session: string) => `orchestra.comments.${session}`;

const read = new Map<string, { stored: string | null; comments: LineComment[] }>();
const listeners = new Set<() => void>();
let channel: Channel | null = null;

/** The other windows of the user. */
function others(): Channel {
  if (channel === null) {
    channel = platform().peers.channel(CHANNEL);
    channel.subscribe(tell);
  }
  return channel;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  others();
  return () => void listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}

/** What was written so far, by file and line. The same list as long as nothing changes. */
export function commentsOf(session: string): LineComment[] {
  const stored = platform().storage.get(key(session));
  const before = read.get(session);
  if (before?.stored === stored) return before.comments;
  const comments = parsed(stored);
  read.set(session, { stored, comments });
  return comments;
}

function parsed(stored: string | null): LineComment[] {
  if (stored === null) return [];
  try {
    const value: unknown = JSON.parse(stored);
    return Array.isArray(value) ? (value as LineComment[]) : [];
  } catch {
    return [];
  }
}

function put(session: string, comments: LineComment[]): void {
  if (comments.length === 0) platform().storage.remove(key(session));
  else platform().storage.set(key(session), JSON.stringify(comments.sort(byPlace)));
  others().post(session);
  tell();
}

function byPlace(one: LineComment, other: LineComment): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return one.to - other.to || one.from - other.from;
}

export function useComments(session: string): LineComment[] {
  return useSyncExternalStore(subscribe, () => commentsOf(session));
}

/** Writes a comment, or writes it again. */
export function saveComment(session: string, comment: Omit<LineComment, "id"> & { id?: string }): void {
  const id = comment.id ?? newKey();
  const others = commentsOf(session).filter((it) => it.id !== id);
  put(session, [...others, { ...comment, id }]);
}

/** Takes comments away; those of another page that came meanwhile stay. */
export function removeComments(session: string, gone: readonly LineComment[]): void {
  const ids = new Set(gone.map((it) => it.id));
  put(session, commentsOf(session).filter((it) => !ids.has(it.id)));
}

/** Brings comments back. */
export function restoreComments(session: string, back: readonly LineComment[]): void {
  const there = commentsOf(session);
  put(session, [...there, ...back.filter((it) => !there.some((other) => other.id === it.id))]);
}

/** `line 4` or `lines 4-6`. */
export function linesLabel({ from, to }: Pick<Anchor, "from" | "to">): string {
  return from === to ? `line ${from}` : `lines ${from}-${to}`;
}

/** All comments as one text for the agent. */
export function followUp(comments: readonly LineComment[], note: string): string {
  const parts = comments.map((comment) => {
    const before = comment.side === "old" ? ", as it was before your changes" : "";
    return `${comment.path}, ${linesLabel(comment)}${before}:\n${quoted(comment.quote)}\n\n${comment.text.trim()}`;
  });
  const head = comments.length === 1 ? "Please take care of this comment on your changes." : `Please take care of these ${comments.length} comments on your changes.`;
  return [note.trim() === "" ? head : `${head}\n\n${note.trim()}`, ...parts].join("\n\n---\n\n");
}

function quoted(quote: string): string {
  const lines = quote.split("\n");
  const shown = lines.slice(0, QUOTED_LINES).map((line) => `> ${line}`);
  if (lines.length > QUOTED_LINES) shown.push(`> (${lines.length - QUOTED_LINES} more)`);
  return shown.join("\n");
}
