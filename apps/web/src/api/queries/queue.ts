import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";
import type { LiveHandler } from "../live/handlers";
import type { LogEventType } from "../types";

/** What waits or runs: iterations and scripts. */
export const queueQuery = () =>
  queryOptions({
    queryKey: ["queue"] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/queue", { signal })),
    staleTime: Infinity,
  });

const TELLING: ReadonlySet<LogEventType> = new Set([
  "iteration_queued",
  "iteration_started",
  "iteration_parked",
  "iteration_resumed",
  "iteration_finished",
  "script_started",
  "script_finished",
  "server_ready",
  "session_status_changed",
]);

/** Keeps the queue true. */
export const queueHandler: LiveHandler = (message, cache) => {
  if (message.kind === "event" && TELLING.has(message.event.body.type)) void cache.invalidateQueries({ queryKey: queueQuery().queryKey });
};
