import type { LiveHandler } from "@/api/live/handlers";
import type { Job } from "@/api/types";

import { jobsQuery } from "./api";

/** Jobs tell of themselves. */
export const jobsHandler: LiveHandler = (message, cache) => {
  if (message.kind === "job") cache.setQueryData<{ jobs: Job[] }>(jobsQuery().queryKey, (known) => known && { jobs: withJob(known.jobs, message.job) });
};

function withJob(jobs: Job[], job: Job): Job[] {
  const place = jobs.findIndex((other) => other.id === job.id);
  if (place === -1) return [job, ...jobs];
  const known = jobs[place];
  return known && known.version > job.version ? jobs : jobs.with(place, job);
}
