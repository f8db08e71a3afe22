import { api } from "@/api/client";
import { done } from "@/api/jobs";
import type { Wire } from "@/api/types";

export type McpServer = Wire["McpServer"];
export type McpTool = { name: string; description: string };

/** Connects to a server and lists its tools. */
export async function checkMcpServer(server: string, repository?: string): Promise<McpTool[]> {
  const answer = await done<{ tools?: { name?: string; description?: string }[] }>(api.POST("/api/v1/mcp-servers/{server}/check", { params: { path: { server } }, body: { repository } }));
  return (answer.tools ?? []).map((tool) => ({ name: tool.name ?? "", description: tool.description ?? "" }));
}
