import type { QueryClient } from "@tanstack/react-query";

import type { LiveHandler } from "@/api/live/handlers";
import type { LogEventType } from "@/api/types";

import { diffKeys } from "./api";

/** A session whose agent writes files is looked at again this often, not at every file. */
const PAUSE_MS = 1_500;

/** Events after which files or commits may be others. */
const CHANGING: ReadonlySet<LogEventType> = new Set(["iteration_finished", "operation_finished", "session_status_changed"]);

/** Keeps what is shown of changes true. */
export function diffHandler(cache: QueryClient): LiveHandler {
  const waiting = new Set<string>();
  const refresh = (session: string) => {
    if (waiting.has(session)) return;
    waiting.add(session);
    setTimeout(() => {
      waiting.delete(session);
      void cache.invalidateQueries({ queryKey: diffKeys.of(session) });
    }, PAUSE_MS);
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
        if (message.wasLost) void cache.invalidateQueries({ predicate: (query) => query.queryKey[2] === "diff" });
        return;
      case "job":
      case "reset":
    }
  };
}
