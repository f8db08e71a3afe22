import type { Iteration, Wire } from "@/api/types";
import { type RawSearch, readChoice, readFlag, readText } from "@/ui/search";

export type FileChange = Wire["FileChange"];
export type Commit = Wire["Commit"];

/** What the address says about a diff. What is absent is as usual. */
export type DiffSearch = {
  /** The file that is looked at. */
  file?: string;
  /** The group the file was chosen from; absent: what is compared as a whole. */
  side?: "staged" | "unstaged";
  /** Everything since before this iteration. */
  since?: number;
  /** From one commit to another: `base`, `head`, `iteration:2` or all digits of a commit. */
  from?: string;
  to?: string;
  split?: true;
  space?: "ignore";
  /** Only files whose path has this text. */
  find?: string;
  /** Whether the file is open for editing. */
  edit?: true;
};

/** What is compared with what. */
export type DiffScope =
  | { kind: "base" }
  | { kind: "staged" }
  | { kind: "unstaged" }
  | { kind: "since"; iteration: number }
  | { kind: "between"; from: string; to: string };

/** Reads the address; what makes no sense is left out. */
export function readDiffSearch(given: RawSearch): DiffSearch {
  const since = typeof given.since === "number" && Number.isInteger(given.since) && given.since > 0 ? given.since : undefined;
  const from = place(given.from);
  const to = place(given.to);
  const isPair = from !== undefined && to !== undefined;
  return {
    file: readText(given.file),
    side: readChoice(given.side, ["staged", "unstaged"]),
    since: isPair ? undefined : since,
    from: isPair ? from : undefined,
    to: isPair ? to : undefined,
    split: readFlag(given.split),
    space: readChoice(given.space, ["ignore"]),
    find: readText(given.find),
    edit: readFlag(given.edit),
  };
}

function place(value: unknown): string | undefined {
  const word = readText(value);
  return word !== undefined && /^(base|head|iteration:\d+|[0-9a-f]{40}|[0-9a-f]{64})$/.test(word) ? word : undefined;
}

/** What is compared as a whole. */
export function wholeScope(search: DiffSearch): DiffScope {
  if (search.from !== undefined && search.to !== undefined) return { kind: "between", from: search.from, to: search.to };
  if (search.since !== undefined) return { kind: "since", iteration: search.since };
  return { kind: "base" };
}

/** What the chosen file is compared by. */
export function fileScope(search: DiffSearch): DiffScope {
  return search.side === undefined ? wholeScope(search) : { kind: search.side };
}

/** The scope in the words of the API. */
export function scopeParameters(scope: DiffScope): { what?: "since_base" | "staged" | "unstaged"; since?: number; from?: string; to?: string } {
  switch (scope.kind) {
    case "base":
      return { what: "since_base" };
    case "staged":
    case "unstaged":
      return { what: scope.kind };
    case "since":
      return { since: scope.iteration };
    case "between":
      return { from: scope.from, to: scope.to };
  }
}

/** Whether the newer side is the files as they are now. */
export function endsInWorktree(scope: DiffScope): boolean {
  return scope.kind === "base" || scope.kind === "unstaged" || scope.kind === "since";
}

/** The search that compares something else; the way of looking stays. */
export function withScope(search: DiffSearch, scope: DiffScope): DiffSearch {
  const kept: DiffSearch = { ...search, side: undefined, since: undefined, from: undefined, to: undefined, edit: undefined };
  switch (scope.kind) {
    case "base":
      return kept;
    case "staged":
    case "unstaged":
      return { ...kept, side: scope.kind };
    case "since":
      return { ...kept, since: scope.iteration };
    case "between":
      return { ...kept, from: scope.from, to: scope.to };
  }
}

/** A place to compare from or to, as people call it. */
export function placeLabel(place: string, base: string, commits: readonly Commit[] = []): string {
  if (place === "base") return base;
  if (place === "head") return "Latest commit";
  if (place.startsWith("iteration:")) return `Iteration ${place.slice("iteration:".length)}`;
  const commit = commits.find((it) => it.id === place);
  return commit ? `${commit.short} ${commit.subject}` : place.slice(0, 10);
}

/** The scope as people call it. */
export function scopeLabel(scope: DiffScope, base: string, commits: readonly Commit[] = []): string {
  switch (scope.kind) {
    case "base":
      return `Everything since ${base}`;
    case "staged":
      return "Staged";
    case "unstaged":
      return "Not staged";
    case "since":
      return `Since before iteration ${scope.iteration}`;
    case "between":
      return `${placeLabel(scope.from, base, commits)} → ${placeLabel(scope.to, base, commits)}`;
  }
}

/** What one iteration changed; none if it is not known where it began. */
export function iterationScope(iteration: Iteration): DiffScope | null {
  if (iteration.head_before == null || iteration.head_after == null) return null;
  return { kind: "between", from: iteration.head_before, to: iteration.head_after };
}

/** What a kind of change is called. */
export const KINDS: Record<string, { word: string; letter: string; tone: string }> = {
  A: { word: "new", letter: "A", tone: "good" },
  M: { word: "changed", letter: "M", tone: "info" },
  D: { word: "deleted", letter: "D", tone: "danger" },
  R: { word: "renamed", letter: "R", tone: "active" },
  C: { word: "copied", letter: "C", tone: "active" },
  T: { word: "another type", letter: "T", tone: "attention" },
};

export function kindOf(change: { kind: string }): { word: string; letter: string; tone: string } {
  return KINDS[change.kind] ?? { word: change.kind, letter: change.kind, tone: "quiet" };
}
