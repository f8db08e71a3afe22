import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { sessionsQuery } from "@/api/queries/sessions";
import { readHomeSearch } from "@/features/home/model";

import { rootRoute } from "./root";

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: readHomeSearch,
  loader: ({ context }) => void context.queryClient.query(sessionsQuery()).catch(() => undefined),
  component: lazyRouteComponent(() => import("./home.page"), "HomePage"),
});
