import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { repositoriesQuery } from "@/api/queries/repositories";
import { readNewSearch } from "@/features/new-session/model";

import { rootRoute } from "./root";

export const newRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/new",
  validateSearch: readNewSearch,
  // With the repository that is likely meant, the prompt is the first thing to be written.
  loader: ({ context }) => context.queryClient.query(repositoriesQuery()).then(() => undefined, () => undefined),
  component: lazyRouteComponent(() => import("./new.page"), "NewPage"),
});
