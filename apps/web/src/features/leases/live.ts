import type { LiveHandler } from "@/api/live/handlers";
import type { LogEventType } from "@/api/types";

import { leaseKeys } from "./api";

const TELLING: ReadonlySet<LogEventType> = new Set(["ports_moved", "database_changed", "server_ready", "script_started", "script_finished", "worktree_deleted", "session_created", "operation_finished"]);

export const leasesHandler: LiveHandler = (message, cache) => {
  if (message.kind === "event" && TELLING.has(message.event.body.type)) void cache.invalidateQueries({ queryKey: leaseKeys.all });
};
