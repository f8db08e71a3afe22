import { type QueryClient, useQueryErrorResetBoundary } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, createRouter, useRouter } from "@tanstack/react-router";
import { IconMapQuestion } from "@tabler/icons-react";

import { asApiError } from "@/api/error";
import { conflictsRoute, sessionConflictsRoute } from "@/routes/conflicts.route";
import { dashboardRoute } from "@/routes/dashboard.route";
import { homeRoute } from "@/routes/home.route";
import { manageRoute } from "@/routes/manage.route";
import { newRoute } from "@/routes/new.route";
import { rootRoute } from "@/routes/root";
import { sessionRoute } from "@/routes/session.route";
import { EmptyState, FailedState, SkeletonPage } from "@/ui/states";

import { Shell } from "./shell";

/** Every page. A new one is added here. */
const routeTree = rootRoute.addChildren([homeRoute, newRoute, sessionRoute, conflictsRoute, sessionConflictsRoute, dashboardRoute, manageRoute]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    defaultPendingMs: 200,
    defaultPendingComponent: SkeletonPage,
    defaultErrorComponent: RouteFailed,
    defaultNotFoundComponent: NotFound,
    InnerWrap: Shell,
  });
}

declare module "@tanstack/react-router" {
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- only an interface can be added to
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

/** A page that fails takes nothing else with it. */
function RouteFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  const retry = () => {
    queries.reset();
    reset();
    void router.invalidate();
  };
  return <FailedState title="This page failed" failure={asApiError(error)} onRetry={retry} />;
}

function NotFound() {
  return (
    <EmptyState icon={<IconMapQuestion size={22} />} title="There is no such page" action={<Link to="/">All sessions</Link>}>
      The address is wrong, or belongs to another version.
    </EmptyState>
  );
}
