import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { done } from "@/api/jobs";
import type { Wire } from "@/api/types";

export type PurgeWish = Wire["PurgeData"];
export type PurgeReport = Wire["PurgeReport"];

export const dataKeys = { all: ["data"] as const };

/** Where data lies, how much it is, and whether it is private. */
export const dataQuery = () =>
  queryOptions({
    queryKey: dataKeys.all,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/data", { signal })),
    staleTime: 0,
  });

/** Writes everything that is kept into a new directory; says what it did on the way. */
export function exportData(body: Wire["ExportData"], onStep: (steps: string[]) => void) {
  return done<{ directory?: string; files?: number }>(api.POST("/api/v1/data/export", { body }), { onStep });
}

/** What a removal would take. */
export function planPurge(body: PurgeWish, signal: AbortSignal) {
  return answered(api.POST("/api/v1/data/purge/plan", { body, signal }));
}

export function purgeData(body: PurgeWish) {
  return done<PurgeReport>(api.POST("/api/v1/data/purge", { body }));
}
