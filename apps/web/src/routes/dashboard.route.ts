import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { readDashboardSearch } from "@/features/dashboard/model";

import { rootRoute } from "./root";

export const dashboardRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/dashboard",
  validateSearch: readDashboardSearch,
  component: lazyRouteComponent(() => import("./dashboard.page"), "DashboardPage"),
});
