import type { LiveHandler } from "@/api/live/handlers";
import type { LogEventType } from "@/api/types";

import { worktreeKeys } from "./api";

const TELLING: ReadonlySet<LogEventType> = new Set(["session_created", "session_forgotten", "operation_finished", "worktree_deleted", "recovered"]);

export const worktreesHandler: LiveHandler = (message, cache) => {
  if (message.kind === "event" && TELLING.has(message.event.body.type)) void cache.invalidateQueries({ queryKey: worktreeKeys.all });
};
