import { getRouteApi } from "@tanstack/react-router";

import { SlashCommands } from "@/features/slash-commands/components/slash-commands";

const route = getRouteApi("/manage/slash-commands");

export function SlashCommandsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <SlashCommands search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
