import type { QueryClient } from "@tanstack/react-query";

import type { LiveHandler } from "@/api/live/handlers";
import type { LogEventType } from "@/api/types";

import { conflictKeys } from "./api";

const PAUSE_MS = 300;
/** Comparing all sessions is much work: not at every commit. */
const MATRIX_PAUSE_MS = 3_000;

const CHANGING: ReadonlySet<LogEventType> = new Set(["iteration_finished", "operation_finished", "session_status_changed"]);

/** Keeps what is shown of conflicts true. */
export function conflictHandler(cache: QueryClient): LiveHandler {
  const waiting = new Set<string>();
  const later = (name: string, ms: number, run: () => void) => {
    if (waiting.has(name)) return;
    waiting.add(name);
    setTimeout(() => {
      waiting.delete(name);
      run();
    }, ms);
  };
  const refresh = (session: string) => {
    later(session, PAUSE_MS, () => void cache.invalidateQueries({ queryKey: conflictKeys.of(session) }));
    later("matrix", MATRIX_PAUSE_MS, () => void cache.invalidateQueries({ queryKey: conflictKeys.matrices }));
  };
  return (message) => {
    switch (message.kind) {
      case "facts":
        for (const session of message.sessionIds) refresh(session);
        return;
      case "event":
        if (message.event.session != null && CHANGING.has(message.event.body.type)) refresh(message.event.session);
        return;
      case "begin":
        if (message.wasLost) void cache.invalidateQueries({ predicate: (query) => query.queryKey[2] === "conflicts" || query.queryKey[0] === "conflict-matrix" });
        return;
      case "job":
      case "reset":
    }
  };
}
