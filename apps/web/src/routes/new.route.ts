import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { readNewSearch } from "@/features/new-session/model";

import { rootRoute } from "./root";

export const newRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/new",
  validateSearch: readNewSearch,
  component: lazyRouteComponent(() => import("./new.page"), "NewPage"),
});
