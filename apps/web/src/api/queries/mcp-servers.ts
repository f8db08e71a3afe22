import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";

/** The MCP servers that sessions of a repository can have. */
export const mcpServersQuery = (repository?: string) =>
  queryOptions({
    queryKey: ["mcp-servers", repository ?? null] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/mcp-servers", { params: { query: { repository } }, signal })),
  });
