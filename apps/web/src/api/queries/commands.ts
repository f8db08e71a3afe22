import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";
import type { LiveHandler } from "../live/handlers";

export const commandKeys = { all: ["commands"] as const };

/** Every command of a repository's settings, and whether it may run. */
export const commandsQuery = (path: string) =>
  queryOptions({
    queryKey: [...commandKeys.all, path] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/commands", { params: { query: { path } }, signal })),
    // Settings are files: nobody tells when they change.
    staleTime: 0,
  });

export const commandsHandler: LiveHandler = (message, cache) => {
  if (message.kind !== "event") return;
  const { type } = message.event.body;
  if (type === "command_allowed" || type === "command_forgotten") void cache.invalidateQueries({ queryKey: commandKeys.all });
};
