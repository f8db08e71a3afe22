import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { sessionQuery } from "@/api/queries/sessions";
import { readDiffSearch } from "@/features/diff/model";
import { readInspectorSearch } from "@/features/inspector/model";
import { readScriptSearch } from "@/features/scripts/model";
import { readTab } from "@/features/session/model";
import { readTranscriptSearch } from "@/features/transcript/model";

import { rootRoute } from "./root";

export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions/$session",
  validateSearch: (given: Record<string, unknown>) => ({
    ...readTab(given),
    ...readTranscriptSearch(given),
    ...readScriptSearch(given),
    ...readInspectorSearch(given),
    ...readDiffSearch(given),
  }),
  loader: ({ context, params }) => void context.queryClient.query(sessionQuery(params.session)).catch(() => undefined),
  component: lazyRouteComponent(() => import("./session.page"), "SessionPage"),
});
