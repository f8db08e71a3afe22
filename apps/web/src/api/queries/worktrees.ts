import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";
import type { LiveHandler } from "../live/handlers";
import type { LogEventType } from "../types";

export const worktreeKeys = { all: ["worktrees"] as const };

/** The worktrees of a repository, and the sessions they belong to. */
export const worktreesQuery = (path: string) =>
  queryOptions({
    queryKey: [...worktreeKeys.all, path] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/worktrees", { params: { query: { path } }, signal })),
    staleTime: 5 * 60_000,
  });

const TELLING: ReadonlySet<LogEventType> = new Set(["session_created", "session_forgotten", "operation_finished", "worktree_deleted", "recovered"]);

export const worktreesHandler: LiveHandler = (message, cache) => {
  if (message.kind === "event" && TELLING.has(message.event.body.type)) void cache.invalidateQueries({ queryKey: worktreeKeys.all });
};
