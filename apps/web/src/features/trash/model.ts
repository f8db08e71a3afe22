import { plural } from "@/ui/format";
import { type RawSearch, readChoice, readText } from "@/ui/search";

import type { HouseReport } from "./api";

export type TrashSearch = { repo?: string; text?: string; do?: "empty" | "house" };

export function readTrashSearch(given: RawSearch): TrashSearch {
  return { repo: readText(given.repo), text: readText(given.text), do: readChoice(given.do, ["empty", "house"]) };
}

/** What a report of `gc` says, one line for each kind; nothing if there is nothing to do. */
export function houseLines(report: HouseReport): string[] {
  const removable = report.regenerable.filter((row) => row.removed || report.dry_run).length;
  const dropped = report.databases.filter((left) => left.dropped || report.dry_run).length;
  const counts: [number, string][] = [
    [report.deleted.length, `${plural(report.deleted.length, "worktree")} in the trash`],
    [report.cleaned.length, `${plural(report.cleaned.length, "worktree")} of landed sessions, into the trash`],
    [report.snapshots, `${plural(report.snapshots, "snapshot")} kept for long enough`],
    [report.data.length, `Transcripts or logs of ${plural(report.data.length, "session")}`],
    [report.prompts, `${plural(report.prompts, "prompt")} of sessions that could not be made`],
    [report.caches, plural(report.caches, "cache")],
    [dropped, `${plural(dropped, "database")} of deleted sessions`],
    [removable, `${plural(removable, "directory", "directories")} that can be made again`],
    [report.finished_deletions, `${plural(report.finished_deletions, "deletion")} that had been cut off`],
    [report.recovered.length, `${plural(report.recovered.length, "thing")} put right`],
  ];
  return counts.filter(([count]) => count > 0).map(([, line]) => line);
}
