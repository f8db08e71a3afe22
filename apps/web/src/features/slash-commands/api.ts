import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type SlashCommand = Wire["SlashCommand"];

export const slashCommandsQuery = (repository?: string) =>
  queryOptions({
    queryKey: ["slash-commands", repository ?? null] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/slash-commands", { params: { query: { repository } }, signal })),
    staleTime: 0,
  });

/** How one is used. */
export const slashCommandQuery = (name: string, repository?: string) =>
  queryOptions({
    queryKey: ["slash-commands", "one", name, repository ?? null] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/slash-commands/{name}", { params: { path: { name }, query: { repository } }, signal })),
    staleTime: 0,
  });
