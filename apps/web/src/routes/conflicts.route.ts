import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { readConflictSearch, readMatrixSearch } from "@/features/conflicts/model";

import { rootRoute } from "./root";

/** All sessions against each other. */
export const conflictsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/conflicts",
  validateSearch: readMatrixSearch,
  component: lazyRouteComponent(() => import("./conflicts.page"), "ConflictsPage"),
});

/** One session, file by file. */
export const sessionConflictsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions/$session/conflicts",
  validateSearch: readConflictSearch,
  component: lazyRouteComponent(() => import("./conflicts-session.page"), "SessionConflictsPage"),
});
