import type { QueryClient } from "@tanstack/react-query";

import type { LiveHandler } from "@/api/live/handlers";
import type { Job, LogEventType, Wire } from "@/api/types";

import { historyKeys } from "./api";

/** Events after which the history has more than before. */
const HISTORY: ReadonlySet<LogEventType> = new Set([
  "iteration_queued",
  "iteration_started",
  "iteration_finished",
  "commit_created",
  "script_started",
  "script_finished",
  "operation_finished",
  "tool_called",
]);

/** Keeps the history of the session that is looked at true. */
export const historyHandler: LiveHandler = (message, cache) => {
  switch (message.kind) {
    case "event": {
      const { session, body } = message.event;
      if (session == null) return;
      if (HISTORY.has(body.type)) askHistory(cache, session);
      return;
    }
    case "facts":
      for (const session of message.sessionIds) void cache.invalidateQueries({ queryKey: historyKeys.log(session) });
      return;
    case "job":
      cache.setQueryData<Wire["JobList"]>(historyKeys.jobs, (list) => list && { ...list, jobs: withJob(list.jobs, message.job) });
      return;
    case "begin":
      // Jobs of a server that ended are forgotten.
      if (message.wasLost) void cache.invalidateQueries({ queryKey: historyKeys.jobs });
      return;
    case "reset":
  }
};

function askHistory(cache: QueryClient, session: string): void {
  void cache.invalidateQueries({ queryKey: historyKeys.log(session) });
  void cache.invalidateQueries({ queryKey: historyKeys.operations(session) });
}

function withJob(jobs: readonly Job[], job: Job): Job[] {
  const known = jobs.find((other) => other.id === job.id);
  if (!known) return [job, ...jobs];
  return known.version >= job.version ? [...jobs] : jobs.map((other) => (other.id === job.id ? job : other));
}
