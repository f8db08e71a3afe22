import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for MCP servers, on every page. */
export function mcpCommands(go: (href: string) => void): Command[] {
  return [
    { id: "mcp.show", title: "MCP servers", group: "Manage", operations: ["list_mcp_servers"], run: () => go("/manage/mcp-servers") },
    { id: "mcp.check", title: "Check an MCP server", group: "Manage", keywords: "connect tools", operations: ["check_mcp_server"], run: () => go("/manage/mcp-servers?check=*") },
  ];
}
