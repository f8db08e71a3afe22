import type { Extent } from "@/api/queries/transcript";
import { PART } from "@/api/queries/transcript";
import type { AgentEvent } from "@/api/types";
import { firstLine, linesOf } from "@/ui/lines";
import { type RawSearch, readText } from "@/ui/search";

/** What the address says about the transcript. */
export type TranscriptSearch = {
  /** The position that is shown. */
  at?: number;
  /** The text that is searched for. */
  text?: string;
};

export function readTranscriptSearch(given: RawSearch): TranscriptSearch {
  const at = Number(given.at);
  return { at: Number.isSafeInteger(at) && at > 0 ? at : undefined, text: readText(given.text) };
}

/** How many positions the list holds at once. A browser cannot lay out a million rows in one piece. */
export const WINDOW = 20_000;

/** The positions that the list holds: from `after + 1` to `to`. */
export type Window = { after: number; to: number };

/** The window around a position, or at the end. Whole parts, so that it moves seldom. */
export function windowOf(extent: Extent, middle: number | null): Window {
  const { begin, end } = extent;
  if (end - begin <= WINDOW) return { after: begin, to: end };
  const last = Math.ceil((end - WINDOW) / PART) * PART;
  if (middle === null) return { after: last, to: end };
  const after = Math.max(begin, Math.min(Math.floor((middle - WINDOW / 2) / PART) * PART, last));
  return { after, to: Math.min(end, after + WINDOW) };
}

export function countLines(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

type ToolCall = Extract<AgentEvent, { kind: "tool_call" }>;

/** Fields of a tool's arguments that say most about a call, best first. */
const TELLING = ["path", "file_path", "file", "cmd", "command", "pattern", "query", "url", "description", "prompt", "name"];

/** A call in a line: what it is about. */
export function aboutCall(call: ToolCall): string {
  const input: unknown = call.input;
  if (typeof input === "string") return firstLine(input);
  if (typeof input !== "object" || input === null) return "";
  const fields = input as Record<string, unknown>;
  const key = TELLING.find((name) => typeof fields[name] === "string" || Array.isArray(fields[name]));
  if (key !== undefined) return firstLine(asLine(fields[key]));
  const edits = editsOfCall(call);
  if (edits.length > 0) return edits.map((edit) => edit.path).join(", ");
  return firstLine(JSON.stringify(input));
}

function asLine(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(" ") : String(value);
}

/** A change of a file as lines. */
export type InlineEdit = { path: string; lines: DiffLine[] };
export type DiffLine = { sign: " " | "+" | "-"; text: string };

const CONTEXT = 3;

/** What differs between two texts: what they begin and end with in common is left out but for a little. */
export function linesOfEdit(old: string | null | undefined, now: string): DiffLine[] {
  const before = linesOf(old ?? "");
  const after = linesOf(now);
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const signed = (sign: DiffLine["sign"], lines: string[]) => lines.map((text): DiffLine => ({ sign, text }));
  return [
    ...signed(" ", before.slice(Math.max(0, head - CONTEXT), head)),
    ...signed("-", before.slice(head, before.length - tail)),
    ...signed("+", after.slice(head, after.length - tail)),
    ...signed(" ", before.slice(before.length - tail, before.length - tail + CONTEXT)),
  ];
}

/** Changes that the arguments of a tool tell in a form that is known. */
export function editsOfCall(call: ToolCall): InlineEdit[] {
  const input: unknown = call.input;
  if (typeof input !== "object" || input === null) return [];
  const fields = input as Record<string, unknown>;
  const text = (...names: string[]) => names.map((name) => fields[name]).find((value) => typeof value === "string");
  const path = text("path", "file_path", "file");
  const patch = text("patch", "patchText", "diff");
  if (typeof patch === "string" && patch.includes("*** Begin Patch")) return editsOfPatch(patch);
  const now = text("new_str", "new_string", "new", "newText");
  const old = text("old_str", "old_string", "old", "oldText");
  if (path !== undefined && now !== undefined && old !== undefined) return [{ path, lines: linesOfEdit(old, now) }];
  const content = text("content", "contents");
  if (path !== undefined && content !== undefined && /write|create/i.test(call.name)) return [{ path, lines: linesOfEdit(null, content) }];
  return [];
}

function editsOfPatch(patch: string): InlineEdit[] {
  const edits: InlineEdit[] = [];
  for (const line of patch.split("\n")) {
    const file = /^\*\*\* (?:Add|Update|Delete) File: (.*)$/.exec(line);
    const last = edits.at(-1);
    if (file) edits.push({ path: file[1] ?? "", lines: [] });
    else if (last && !line.startsWith("***") && !line.startsWith("@@")) {
      const sign = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
      last.lines.push({ sign, text: sign === " " && !line.startsWith(" ") ? line : line.slice(1) });
    }
  }
  return edits;
}

/** A path as seen from the worktree. */
export function withinWorktree(path: string, worktree: string): string {
  return path.startsWith(`${worktree}/`) ? path.slice(worktree.length + 1) : path;
}

/** The word that is being completed: a slash command at the beginning of a text. */
export function slashPrefix(text: string): string | null {
  const found = /^\/([A-Za-z0-9_-]*)$/.exec(text);
  return found ? (found[1] ?? "") : null;
}
