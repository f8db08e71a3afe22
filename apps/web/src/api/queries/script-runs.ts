import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";
import { sessionKeys } from "./sessions";

/** Runs that one answer has; the timeline has older ones. */
const PAGE = 100;

export const scriptRunsKey = (session: string) => [...sessionKeys.of(session), "script-runs"] as const;

/** The newest script runs of a session, newest first. */
export const scriptRunsQuery = (session: string) =>
  queryOptions({
    queryKey: scriptRunsKey(session),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/script-runs", { params: { path: { session }, query: { limit: PAGE } }, signal })),
    staleTime: Infinity,
  });
