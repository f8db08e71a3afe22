import type { LiveHandler } from "@/api/live/handlers";

import { trashKeys } from "./api";

/** Keeps the trash true: cleaning up, undoing and deleting change it. */
export const trashHandler: LiveHandler = (message, cache) => {
  if (message.kind !== "event") return;
  const { type } = message.event.body;
  if (type === "operation_finished" || type === "worktree_deleted" || type === "session_changed") void cache.invalidateQueries({ queryKey: trashKeys.all });
};
