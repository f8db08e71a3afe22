import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { sessionQuery } from "@/api/queries/sessions";

import { rootRoute } from "./root";

export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions/$session",
  loader: ({ context, params }) => void context.queryClient.query(sessionQuery(params.session)).catch(() => undefined),
  component: lazyRouteComponent(() => import("./session.page"), "SessionPage"),
});
