import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";
import type { Wire } from "../types";
import { sessionKeys } from "./sessions";

/** What a clean-up with these consents would do. Asked anew whenever somebody looks. */
export const cleanupPlanQuery = (session: string, consents: Wire["CleanUpSession"] = {}) =>
  queryOptions({
    queryKey: [...sessionKeys.of(session), "cleanup-plan", consents] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/cleanup", { params: { path: { session }, query: consents }, signal })),
    staleTime: 0,
    gcTime: 0,
  });
