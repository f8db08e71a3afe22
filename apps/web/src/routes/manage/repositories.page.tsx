import { getRouteApi } from "@tanstack/react-router";

import { Repositories } from "@/features/repositories/components/repositories";

const route = getRouteApi("/manage/repositories");

export function RepositoriesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Repositories search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
