import { getRouteApi } from "@tanstack/react-router";

import { Settings } from "@/features/settings/components/settings";

const route = getRouteApi("/manage/settings");

export function SettingsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Settings search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
