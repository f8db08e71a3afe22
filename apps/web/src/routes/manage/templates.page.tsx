import { getRouteApi } from "@tanstack/react-router";

import { Templates } from "@/features/templates/components/templates";

const route = getRouteApi("/manage/templates");

export function TemplatesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Templates search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
