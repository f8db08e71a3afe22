import { groupBy } from "@/ui/group-by";
import { type RawSearch, readFlag, readText } from "@/ui/search";
import type { Tone } from "@/ui/page";

import type { Diagnosis, SandboxTrials } from "./api";

export type DoctorSearch = { repo?: string; /** Ask whether to repair. */ repair?: true; /** Ask whether to try the sandbox. */ sandbox?: true };

export function readDoctorSearch(given: RawSearch): DoctorSearch {
  return { repo: readText(given.repo), repair: readFlag(given.repair), sandbox: readFlag(given.sandbox) };
}

type Look = { label: string; tone: Tone; rank: number };

const LOOKS: Partial<Record<string, Look>> = {
  bad: { label: "Bad", tone: "danger", rank: 0 },
  fixed: { label: "Repaired", tone: "active", rank: 1 },
  note: { label: "Note", tone: "attention", rank: 2 },
  good: { label: "Good", tone: "good", rank: 3 },
};

/** A word of another version is shown as it is. */
export function lookOf(check: Diagnosis): Look {
  return LOOKS[check.health] ?? { label: check.health, tone: "info", rank: 2 };
}

/** What wants attention first. */
export function inOrder(checks: readonly Diagnosis[]): Diagnosis[] {
  return checks.toSorted((one, other) => lookOf(one).rank - lookOf(other).rank);
}

/** What keeps agents where they belong. */
export const SANDBOX = "sandbox";

export function countsOf(checks: readonly Diagnosis[]): string {
  const groups = groupBy(checks, (check) => lookOf(check).label);
  return COUNTED.flatMap(([label, word]) => (groups.has(label) ? [`${groups.get(label)?.length ?? 0} ${word}`] : [])).join(", ");
}

/** What is said after how many there are. */
const COUNTED = [
  ["Bad", "bad"],
  ["Repaired", "repaired"],
  ["Note", "to note"],
  ["Good", "good"],
] as const;

type EscapeEnd = SandboxTrials["tried"][number]["escapes"][number]["end"];

/** What became of a way out of a sandbox. */
export const ESCAPE_LOOKS: Record<EscapeEnd, { label: string; tone: Tone }> = {
  stopped: { label: "Stopped", tone: "good" },
  succeeded: { label: "Got out", tone: "danger" },
  not_tried: { label: "Not tried", tone: "quiet" },
};
