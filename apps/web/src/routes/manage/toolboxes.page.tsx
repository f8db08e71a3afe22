import { getRouteApi } from "@tanstack/react-router";

import { Toolboxes } from "@/features/toolboxes/components/toolboxes";

const route = getRouteApi("/manage/toolboxes");

export function ToolboxesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Toolboxes search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
