import type { Wire } from "@/api/types";
import { type RawSearch, readText } from "@/ui/search";

export type Conflict = Wire["Conflict"];
export type ConflictPair = Wire["ConflictPair"];

/** What the address says about the conflicts of one session. */
export type ConflictSearch = { file?: string };

export function readConflictSearch(given: RawSearch): ConflictSearch {
  return { file: readText(given.file) };
}

/** What the address says about the matrix: a repository, and a pair. */
export type MatrixSearch = { repository?: string; one?: string; /** Absent with `one`: its base. */ other?: string };

export function readMatrixSearch(given: RawSearch): MatrixSearch {
  const one = readText(given.one);
  return { repository: readText(given.repository), one, other: one === undefined ? undefined : readText(given.other) };
}

/** What a kind of conflict means. *Ours* is the base, *theirs* the session, as git says in a rebase. */
export function kindText(kind: Conflict["kind"], onto: string): { short: string; long: string } {
  switch (kind) {
    case "both_modified":
      return { short: "both changed it", long: `${onto} and the session changed the same lines.` };
    case "both_added":
      return { short: "both added it", long: `${onto} and the session each added a file of this name.` };
    case "both_deleted":
      return { short: "both deleted it", long: `Neither side has it any more; most likely both renamed it.` };
    case "deleted_by_us":
      return { short: `deleted in ${onto}`, long: `${onto} deleted it, the session changed it.` };
    case "deleted_by_them":
      return { short: "deleted by the session", long: `The session deleted it, ${onto} changed it.` };
    case "added_by_us":
      return { short: `only in ${onto}`, long: `${onto} has it at this place, the session does not: it was most likely renamed.` };
    case "added_by_them":
      return { short: "only in the session", long: `The session has it at this place, ${onto} does not: it was most likely renamed.` };
    case "file_directory":
      return { short: "file or folder", long: "One side has a file of this name, the other one a folder." };
    case "distinct_types":
      return { short: "another type", long: "The sides have things of different types at this place, such as a file and a link." };
  }
}

const CONTENTS: Record<Conflict["content"], string | null> = {
  text: null,
  binary: "binary",
  mode: "permissions only",
  symlink: "symbolic link",
  submodule: "submodule",
};

/** What it is, if it is no text. */
export function contentText(content: Conflict["content"]): string | null {
  return CONTENTS[content];
}

/** What the name of a file says, if it says something. */
export function classText(conflict: Conflict): string | null {
  switch (conflict.class) {
    case "lockfile":
      return "lockfile";
    case "migration":
      return "migration";
    case "ordinary":
      return null;
  }
}

/** Whether a side has the file, so that taking it does not delete it. */
export function takes(conflict: Conflict, side: "ours" | "theirs"): "content" | "deletion" {
  return conflict[side] == null ? "deletion" : "content";
}

/** What the result of a file is kept under as long as it is being written. */
export function resultName(session: string, path: string): string {
  return `result.${session}.${path}`;
}

/** What was decided since the rebase stopped or went on, oldest first. */
export function decisions(operations: readonly Wire["Operation"][]): Wire["Operation"][] {
  const undone = new Set(operations.flatMap((it) => (it.kind === "undo" && it.state === "done" && it.undoes != null ? [it.undoes] : [])));
  const start = operations.findLastIndex((it) => it.kind === "rebase");
  return operations.slice(start + 1).filter((it) => it.kind === "resolve" && it.state === "done" && !undone.has(it.id));
}

/** The pair of two sessions, or of one and its base. */
export function pairOf(pairs: readonly ConflictPair[], one: string, other: string | undefined): ConflictPair | undefined {
  return pairs.find((it) => (other === undefined ? it.session_id === one && it.other_id == null : isPair(it, one, other)));
}

function isPair(pair: ConflictPair, one: string, other: string): boolean {
  return (pair.session_id === one && pair.other_id === other) || (pair.session_id === other && pair.other_id === one);
}

/** How much of a pair a person would have to decide. */
export function troubles(pair: ConflictPair | undefined): number {
  return pair ? pair.files.length + pair.migrations.length + pair.case_clashes.length : 0;
}
