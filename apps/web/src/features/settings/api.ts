import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type Setting = Wire["Setting"];

export const settingsKeys = {
  all: ["settings"] as const,
  list: (repository: string | null) => ["settings", "list", repository] as const,
  files: (repository: string | null) => ["settings", "files", repository] as const,
  schema: ["settings", "schema"] as const,
};

/** Every setting as it counts: of the user, or in a repository. No event tells of files that change, so it is asked each time. */
export const settingsQuery = (repository?: string) =>
  queryOptions({
    queryKey: settingsKeys.list(repository ?? null),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/settings", { params: { query: { repository } }, signal })),
    staleTime: 0,
  });

/** One of the user's settings. */
export const settingQuery = (key: string) =>
  queryOptions({
    queryKey: [...settingsKeys.all, "value", key] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/settings/values/{key}", { params: { path: { key } }, signal })),
  });

export const settingsFilesQuery = (repository?: string) =>
  queryOptions({
    queryKey: settingsKeys.files(repository ?? null),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/settings/files", { params: { query: { repository } }, signal })),
  });

export const settingsSchemaQuery = () =>
  queryOptions({
    queryKey: settingsKeys.schema,
    queryFn: ({ signal }): Promise<unknown> => answered(api.GET("/api/v1/settings/schema", { signal })),
    staleTime: Infinity,
  });

/** Writes a value into the user's file, or into a repository's. */
export function setSetting(key: string, value: string, repository?: string) {
  return answered(api.PUT("/api/v1/settings/values/{key}", { params: { path: { key } }, body: { value, repository } }));
}

/** Takes a value out of that file. */
export function unsetSetting(key: string, repository?: string) {
  return answered(api.DELETE("/api/v1/settings/values/{key}", { params: { path: { key }, query: { repository } } }));
}
