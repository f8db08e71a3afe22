import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";
import type { LiveHandler } from "../live/handlers";
import type { Job, Wire } from "../types";

/** Long work of the server, newest first. */
export const jobsQuery = () =>
  queryOptions({
    queryKey: ["jobs"] as const,
    queryFn: async ({ signal }): Promise<Wire["JobList"]> => {
      const { jobs } = await answered(api.GET("/api/v1/jobs", { signal }));
      return { jobs: jobs.toSorted((one, other) => (one.started_at < other.started_at ? 1 : -1)) };
    },
    staleTime: Infinity,
  });

/** Jobs tell of themselves; those of a server that ended are forgotten. */
export const jobsHandler: LiveHandler = (message, cache) => {
  const { queryKey } = jobsQuery();
  if (message.kind === "job") cache.setQueryData(queryKey, (list) => list && { jobs: withJob(list.jobs, message.job) });
  else if (message.kind === "begin" && message.wasLost) void cache.invalidateQueries({ queryKey });
};

function withJob(jobs: readonly Job[], job: Job): Job[] {
  const known = jobs.find((other) => other.id === job.id);
  if (!known) return [job, ...jobs];
  return known.version >= job.version ? [...jobs] : jobs.map((other) => (other.id === job.id ? job : other));
}
