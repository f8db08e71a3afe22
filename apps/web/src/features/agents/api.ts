import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { done } from "@/api/jobs";
import type { Wire } from "@/api/types";

export type Agent = Wire["Agent"];
export type Environment = Wire["Environment"];

/** One agent, looked at again. */
export const agentQuery = (agent: string, repository?: string) =>
  queryOptions({
    queryKey: ["agents", "one", agent, repository ?? null] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/agents/{agent}", { params: { path: { agent }, query: { repository } }, signal })),
    staleTime: 0,
  });

/** Whether an agent answered, and how long it took. */
export type Trial = { passed: boolean; durationMs: number | null; says: string | null };

/** Lets an agent answer once. It is a real turn. */
export async function testAgent(agent: string, repository?: string): Promise<Trial> {
  const answer = await done<unknown>(api.POST("/api/v1/agents/{agent}/test", { params: { path: { agent }, query: { repository } }, body: {} }));
  return readTrial(answer);
}

export function readTrial(answer: unknown): Trial {
  const { passed, duration_ms, end } = record(answer);
  const said = record(end);
  const says = [said.summary, said.message, said.text].find((text) => typeof text === "string");
  return { passed: passed === true, durationMs: typeof duration_ms === "number" ? duration_ms : null, says: typeof says === "string" ? says : null };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
