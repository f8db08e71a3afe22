import { type RawSearch, readText } from "@/ui/search";
import type { Tone } from "@/ui/page";

import type { Operation, OperationKind } from "./api";

export type OperationsSearch = { session?: string };

export function readOperationsSearch(given: RawSearch): OperationsSearch {
  return { session: readText(given.session) };
}

export const KIND_LABELS: Record<OperationKind, string> = {
  commit: "Commit",
  discard: "Discard",
  squash: "Squash",
  rebase: "Rebase",
  resolve: "Resolve",
  merge: "Merge",
  push: "Push",
  cleanup: "Clean up",
  undo: "Undo",
  redo: "Redo",
};

export const STATE_LOOKS: Record<Operation["state"], { label: string; tone: Tone }> = {
  open: { label: "Going on", tone: "active" },
  done: { label: "Done", tone: "good" },
  undone: { label: "Undone", tone: "quiet" },
  failed: { label: "Failed", tone: "danger" },
  unknown: { label: "Unknown", tone: "attention" },
};
