import { getRouteApi } from "@tanstack/react-router";

import { Trash } from "@/features/trash/components/trash";

const route = getRouteApi("/manage/trash");

export function TrashPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Trash search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
