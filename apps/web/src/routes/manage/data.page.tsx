import { getRouteApi } from "@tanstack/react-router";

import { Data } from "@/features/data/components/data";

const route = getRouteApi("/manage/data");

export function DataPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Data search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
