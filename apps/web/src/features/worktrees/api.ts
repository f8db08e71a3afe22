import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type Worktree = Wire["Worktree"];

export const worktreeKeys = { all: ["worktrees"] as const };

/** The worktrees of a repository, and the sessions they belong to. */
export const worktreesQuery = (path: string) =>
  queryOptions({
    queryKey: [...worktreeKeys.all, path] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/worktrees", { params: { query: { path } }, signal })),
    staleTime: 0,
  });

export function adoptWorktree(body: Wire["AdoptWorktree"]) {
  return answered(api.POST("/api/v1/worktrees/adopt", { body }));
}

export function pruneWorktrees(repository: string) {
  return answered(api.POST("/api/v1/worktrees/prune", { body: { repository } }));
}
