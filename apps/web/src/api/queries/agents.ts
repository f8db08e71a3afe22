import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";

/** The agents, as a repository's settings describe them. */
export const agentsQuery = (repository?: string) =>
  queryOptions({
    queryKey: ["agents", repository ?? null] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/agents", { params: { query: { repository } }, signal })),
  });

/** The environments that agents can run in. */
export const environmentsQuery = (repository?: string) =>
  queryOptions({
    queryKey: ["environments", repository ?? null] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/environments", { params: { query: { repository } }, signal })),
  });
