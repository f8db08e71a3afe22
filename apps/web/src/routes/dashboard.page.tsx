import { getRouteApi } from "@tanstack/react-router";

import { Dashboard } from "@/features/dashboard/components/dashboard";

const route = getRouteApi("/dashboard");

export function DashboardPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Dashboard search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
