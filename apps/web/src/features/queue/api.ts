import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import type { Job, Wire } from "@/api/types";

export type QueueRow = Wire["QueueRow"];

/** Long work of the server, newest first. */
export const jobsQuery = () =>
  queryOptions({
    queryKey: ["jobs"] as const,
    queryFn: async ({ signal }): Promise<{ jobs: Job[] }> => {
      const { jobs } = await answered(api.GET("/api/v1/jobs", { signal }));
      return { jobs: jobs.toSorted((one, other) => (one.started_at < other.started_at ? 1 : -1)) };
    },
    staleTime: 0,
  });

export function stopScriptRun(session: string, run: number) {
  return answered(api.POST("/api/v1/sessions/{session}/script-runs/{run}/stop", { params: { path: { session, run } }, body: {} }));
}
