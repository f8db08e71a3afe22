import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { done } from "@/api/jobs";
import type { Wire } from "@/api/types";

export type TrashRow = Wire["TrashRow"];
export type HouseReport = Wire["GcReport"];

export const trashKeys = { all: ["trash"] as const };

/** What lies in the trash of all repositories, or of one. */
export const trashQuery = (repository?: string) =>
  queryOptions({
    queryKey: [...trashKeys.all, repository ?? null] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/trash", { params: { query: { repository } }, signal })),
    staleTime: Infinity,
  });

export function emptyTrash(body: Wire["EmptyTrash"]) {
  return done<Wire["Emptied"]>(api.POST("/api/v1/trash/empty", { body }));
}

/** Deletes what is kept longer than the settings say; with `dry_run` it only tells. */
export function keepHouse(body: Wire["KeepHouse"]) {
  return done<HouseReport>(api.POST("/api/v1/gc", { body }));
}
