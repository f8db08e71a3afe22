import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import type { LogEvent, Wire } from "@/api/types";

export type Operation = Wire["Operation"];
export type OperationKind = Wire["OperationKind"];

/** An operation as the log tells it. */
export type RecentOperation = { seq: number; at: string; session: string; operation: number; kind: OperationKind; summary: string };

/** How far back the log is read, in events, and how many operations are shown. */
const BACK = 5_000;
const PAGE = 500;
export const SHOWN = 200;

export const operationKeys = { recent: ["operations", "recent"] as const };

/** What was done lately to any session, newest first. */
export const recentOperationsQuery = () =>
  queryOptions({
    queryKey: operationKeys.recent,
    queryFn: ({ signal }) => recent(signal),
    staleTime: Infinity,
  });

/** The operation that an event tells of, if it does. */
export function operationOf({ seq, at, session, body }: LogEvent): RecentOperation | null {
  if (body.type !== "operation_finished" || session == null) return null;
  return { seq, at, session, operation: body.operation, kind: body.operation_kind, summary: body.summary };
}

async function recent(signal: AbortSignal): Promise<{ seq: number; operations: RecentOperation[] }> {
  const read = (after: number, limit: number) => answered(api.GET("/api/v1/log", { params: { query: { after, limit } }, signal }));
  const { seq } = await read(Number.MAX_SAFE_INTEGER, 1);
  const found: RecentOperation[] = [];
  let after = Math.max(0, seq - BACK);
  for (;;) {
    const page = await read(after, PAGE);
    const last = page.events.at(-1);
    found.push(...page.events.flatMap((event) => operationOf(event) ?? []));
    if (!last || page.events.length < PAGE) return { seq: page.seq, operations: found.reverse().slice(0, SHOWN) };
    after = last.seq;
  }
}
