import { getRouteApi } from "@tanstack/react-router";

import { Worktrees } from "@/features/worktrees/components/worktrees";

const route = getRouteApi("/manage/worktrees");

export function WorktreesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Worktrees search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
