import { getRouteApi } from "@tanstack/react-router";

import { ConflictMatrix } from "@/features/conflicts/components/conflict-matrix";

const route = getRouteApi("/conflicts");

export function ConflictsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <ConflictMatrix search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
