import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";

export const repositoryKeys = {
  all: ["repositories"] as const,
  list: ["repositories", "list"] as const,
  detail: (path: string) => ["repositories", "detail", path] as const,
};

/** Every repository that had a session. */
export const repositoriesQuery = () =>
  queryOptions({
    queryKey: repositoryKeys.list,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/repositories", { signal })),
  });

/** The repository that a directory belongs to, with its branches. */
export const repositoryQuery = (path: string) =>
  queryOptions({
    queryKey: repositoryKeys.detail(path),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/repository", { params: { query: { path } }, signal })),
    retry: false,
  });
