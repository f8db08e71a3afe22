import { getRouteApi } from "@tanstack/react-router";

import { McpServers } from "@/features/mcp-servers/components/mcp-servers";

const route = getRouteApi("/manage/mcp-servers");

export function McpServersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <McpServers search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
