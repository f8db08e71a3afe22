import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext } from "@tanstack/react-router";

/** What every route can use to load its data before it is shown. */
export type RouteContext = { queryClient: QueryClient };

export const rootRoute = createRootRouteWithContext<RouteContext>()({});
