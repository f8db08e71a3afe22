import { getRouteApi } from "@tanstack/react-router";

import { Home } from "@/features/home/components/home";

const route = getRouteApi("/");

export function HomePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Home search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
