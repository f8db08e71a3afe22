import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

/** The commands that the settings of a repository name. */
export const commandsQuery = (path: string) =>
  queryOptions({
    queryKey: ["commands", path] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/commands", { params: { query: { path } }, signal })),
    retry: false,
  });

/** The MCP servers that sessions of a repository can have. */
export const mcpServersQuery = (repository: string) =>
  queryOptions({
    queryKey: ["mcp-servers", repository] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/mcp-servers", { params: { query: { repository } }, signal })),
    retry: false,
  });

export const createSession = (body: Wire["CreateSession"]) => answered(api.POST("/api/v1/sessions", { body }));
