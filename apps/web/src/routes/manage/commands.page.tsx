import { getRouteApi } from "@tanstack/react-router";

import { RepositoryCommands } from "@/features/commands/components/repository-commands";

const route = getRouteApi("/manage/commands");

export function CommandsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <RepositoryCommands search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
