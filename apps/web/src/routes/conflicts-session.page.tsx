import { getRouteApi } from "@tanstack/react-router";

import { ConflictGuide } from "@/features/conflicts/components/conflict-guide";

const route = getRouteApi("/sessions/$session/conflicts");

export function SessionConflictsPage() {
  const { session } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <ConflictGuide session={session} search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
