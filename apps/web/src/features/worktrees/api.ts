import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type Worktree = Wire["Worktree"];

export function adoptWorktree(body: Wire["AdoptWorktree"]) {
  return answered(api.POST("/api/v1/worktrees/adopt", { body }));
}

export function pruneWorktrees(repository: string) {
  return answered(api.POST("/api/v1/worktrees/prune", { body: { repository } }));
}
