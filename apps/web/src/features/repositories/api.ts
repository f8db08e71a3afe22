import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type Repository = Wire["Repository"];
export type Proposal = Wire["InitProposal"];

/** The settings file that would fit a repository. */
export const proposalQuery = (path: string) =>
  queryOptions({
    queryKey: ["repositories", "proposal", path] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/repository/settings-file", { params: { query: { path } }, signal })),
    staleTime: 0,
  });

export function writeSettingsFile(repository: string) {
  return answered(api.POST("/api/v1/repository/settings-file", { body: { repository } }));
}
