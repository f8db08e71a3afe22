import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";
import type { LiveHandler } from "../live/handlers";
import type { LogEventType } from "../types";
import { sessionKeys } from "./sessions";

export const historyKeys = {
  log: (session: string) => [...sessionKeys.of(session), "log"] as const,
  operations: (session: string) => [...sessionKeys.of(session), "operations"] as const,
};

const at = (session: string) => ({ params: { path: { session } } });

/** Commits, iterations and script runs. */
export const logQuery = (session: string) =>
  queryOptions({
    queryKey: historyKeys.log(session),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/log", { ...at(session), signal })),
    staleTime: Infinity,
  });

/** What was done to a session, oldest first, and what is next to be undone or done again. */
export const operationsQuery = (session: string) =>
  queryOptions({
    queryKey: historyKeys.operations(session),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/operations", { ...at(session), signal })),
    staleTime: Infinity,
  });

/** Events after which the history has more than before. */
const TELLING: ReadonlySet<LogEventType> = new Set([
  "iteration_queued",
  "iteration_started",
  "iteration_finished",
  "commit_created",
  "script_started",
  "script_finished",
  "operation_finished",
  "tool_called",
]);

/** Keeps the history of sessions true. */
export const historyHandler: LiveHandler = (message, cache) => {
  switch (message.kind) {
    case "event": {
      const { session, body } = message.event;
      if (session == null || !TELLING.has(body.type)) return;
      void cache.invalidateQueries({ queryKey: historyKeys.log(session) });
      void cache.invalidateQueries({ queryKey: historyKeys.operations(session) });
      return;
    }
    case "facts":
      for (const session of message.sessionIds) void cache.invalidateQueries({ queryKey: historyKeys.log(session) });
      return;
    case "begin":
      // What git said meanwhile was told to nobody.
      if (message.wasLost) void cache.invalidateQueries({ predicate: (query) => query.queryKey[0] === "session" && query.queryKey[2] === "log" });
      return;
    case "job":
    case "reset":
  }
};
