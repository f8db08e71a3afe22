import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { done } from "@/api/jobs";
import type { Wire } from "@/api/types";

export type Toolbox = Wire["Toolbox"];
export type Tool = Wire["Tool"];

/** The tools that sessions get. Each is asked what it does, so it is looked at once per visit. */
export const toolsQuery = (repository?: string) =>
  queryOptions({
    queryKey: ["tools", repository ?? null] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/tools", { params: { query: { repository } }, signal })),
  });

export function checkToolbox(directory: string) {
  return answered(api.POST("/api/v1/tools/check", { body: { directory } }));
}

/** What a tool printed, and how it ended. */
export type ToolResult = { stdout: string; stderr: string; exitCode: number | null };

export async function runTool(tool: string, input: Record<string, unknown>, repository?: string): Promise<ToolResult> {
  // The document says of the input only that it is an object.
  const body = { tool, input: input as Wire["RunTool"]["input"], repository };
  const answer = await done<{ stdout?: unknown; stderr?: unknown; exit_code?: unknown }>(api.POST("/api/v1/tools/run", { body }));
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return { stdout: text(answer.stdout), stderr: text(answer.stderr), exitCode: typeof answer.exit_code === "number" ? answer.exit_code : null };
}
