import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { sessionKeys } from "@/api/queries/sessions";

/** The newest script runs, for those that belong to an iteration. The key is the one of the list of runs. */
export const runsOfIterationQuery = (session: string) =>
  queryOptions({
    queryKey: [...sessionKeys.of(session), "script-runs"] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/script-runs", { params: { path: { session }, query: { limit: 100 } }, signal })),
    staleTime: Infinity,
  });
