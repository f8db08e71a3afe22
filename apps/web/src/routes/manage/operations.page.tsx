import { getRouteApi } from "@tanstack/react-router";

import { Operations } from "@/features/operations/components/operations";

const route = getRouteApi("/manage/operations");

export function OperationsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Operations search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
