import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type ProjectCommand = Wire["ProjectCommand"];

export const commandKeys = { all: ["commands"] as const };

/** Every command of a repository's settings, and whether it may run. */
export const commandsQuery = (path: string) =>
  queryOptions({
    queryKey: [...commandKeys.all, path] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/commands", { params: { query: { path } }, signal })),
    staleTime: 0,
  });

export function allowCommands(body: Wire["ChooseCommands"]) {
  return answered(api.POST("/api/v1/commands/allow", { body }));
}

export function forgetCommands(body: Wire["ChooseCommands"]) {
  return answered(api.POST("/api/v1/commands/forget", { body }));
}
