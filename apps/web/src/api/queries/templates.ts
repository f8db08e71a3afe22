import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";
import type { LiveHandler } from "../live/handlers";

export const templateKeys = { all: ["templates"] as const };

/** The user's templates and those of a repository. */
export const templatesQuery = (repository?: string) =>
  queryOptions({
    queryKey: [...templateKeys.all, repository ?? null] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/templates", { params: { query: { repository } }, signal })),
  });

export const templateHandler: LiveHandler = (message, cache) => {
  if (message.kind !== "event") return;
  const { type } = message.event.body;
  if (type === "template_saved" || type === "template_deleted") void cache.invalidateQueries({ queryKey: templateKeys.all });
};
