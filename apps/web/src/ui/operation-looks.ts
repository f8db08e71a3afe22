import type { Wire } from "@/api/types";

import type { Tone } from "./page";

type Operation = Wire["Operation"];

/** What an operation is called. */
export const OPERATION_LABELS: Record<Operation["kind"], string> = {
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

/** How far an operation is. */
export const OPERATION_STATES: Record<Operation["state"], { label: string; tone: Tone }> = {
  open: { label: "Going on", tone: "active" },
  done: { label: "Done", tone: "good" },
  undone: { label: "Undone", tone: "quiet" },
  failed: { label: "Failed", tone: "danger" },
  unknown: { label: "Unknown", tone: "attention" },
};
