import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type Metrics = Wire["Metrics"];
export type MetricsSum = Wire["MetricsSum"];
export type MetricsPoint = Wire["MetricsPoint"];
export type MetricsBy = Wire["MetricsBy"];

export const metricsKeys = { all: ["metrics"] as const };

export type MetricsWish = { from: string | null; until: string | null; repository?: string; by: readonly MetricsBy[]; utcOffsetMinutes: number };

/** Sums of what iterations used and how they went. Ends of iterations make it ask again. */
export const metricsQuery = (wish: MetricsWish) =>
  queryOptions({
    queryKey: [...metricsKeys.all, wish] as const,
    queryFn: ({ signal }) => {
      const query = { from: wish.from ?? undefined, until: wish.until ?? undefined, repository: wish.repository, by: wish.by.join(",") || undefined, utc_offset_minutes: wish.utcOffsetMinutes };
      return answered(api.GET("/api/v1/metrics", { params: { query }, signal }));
    },
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
