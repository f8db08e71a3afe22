import { getRouteApi } from "@tanstack/react-router";

import { Agents } from "@/features/agents/components/agents";

const route = getRouteApi("/manage/agents");

export function AgentsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Agents search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
