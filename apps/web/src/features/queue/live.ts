import type { LiveHandler } from "@/api/live/handlers";
import type { Job, LogEventType } from "@/api/types";

import { queueKeys } from "./api";

const TELLING: ReadonlySet<LogEventType> = new Set(["iteration_queued", "iteration_started", "iteration_parked", "iteration_resumed", "iteration_finished", "script_started", "script_finished", "server_ready", "session_status_changed"]);

/** Keeps the queue true; jobs tell of themselves. */
export const queueHandler: LiveHandler = (message, cache) => {
  if (message.kind === "event" && TELLING.has(message.event.body.type)) void cache.invalidateQueries({ queryKey: queueKeys.rows });
  if (message.kind === "job") cache.setQueryData<{ jobs: Job[] }>(queueKeys.jobs, (known) => known && { jobs: withJob(known.jobs, message.job) });
};

function withJob(jobs: Job[], job: Job): Job[] {
  const place = jobs.findIndex((other) => other.id === job.id);
  if (place === -1) return [job, ...jobs];
  const known = jobs[place];
  return known && known.version > job.version ? jobs : jobs.with(place, job);
}
