import { getRouteApi } from "@tanstack/react-router";

import { SessionOverview } from "@/features/session/components/session-overview";

const route = getRouteApi("/sessions/$session");

export function SessionPage() {
  const { session } = route.useParams();
  return <SessionOverview session={session} />;
}
