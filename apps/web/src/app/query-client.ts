import { QueryClient } from "@tanstack/react-query";

import { ApiError } from "@/api/error";

/** Answers are true until an event says otherwise, so nothing is asked again by itself. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (failures, error) => error instanceof ApiError && error.status === 0 && failures < 3,
        retryDelay: (attempt) => Math.min(4_000, 500 * 2 ** attempt),
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
