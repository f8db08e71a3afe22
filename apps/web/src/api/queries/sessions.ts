import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";
import type { Session } from "../types";

/** The most sessions that one answer can have. */
const PAGE = 1_000;

/** All sessions as the page holds them: one answer, kept up to date by events. */
export type SessionCollection = { seq: number; sessions: Session[] };

export const sessionKeys = {
  lists: ["sessions"] as const,
  list: (archived: boolean) => ["sessions", { archived }] as const,
  /** Everything about one session begins with this. */
  of: (session: string) => ["session", session] as const,
  detail: (session: string) => ["session", session, "detail"] as const,
  iterations: (session: string) => ["session", session, "iterations"] as const,
};

/** Every session; filters are applied in the page, which is quicker than asking again. */
export const sessionsQuery = (archived = false) =>
  queryOptions({
    queryKey: sessionKeys.list(archived),
    queryFn: ({ signal }) => allSessions(archived, signal),
    // Events keep it true.
    staleTime: Infinity,
    gcTime: Infinity,
  });

/** A session with what is uncommitted in its directory. */
export const sessionQuery = (session: string) =>
  queryOptions({
    queryKey: sessionKeys.detail(session),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}", { params: { path: { session } }, signal })),
    staleTime: Infinity,
  });

/** The iterations of a session, oldest first. */
export const iterationsQuery = (session: string) =>
  queryOptions({
    queryKey: sessionKeys.iterations(session),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/iterations", { params: { path: { session } }, signal })),
    staleTime: Infinity,
  });

async function allSessions(archived: boolean, signal: AbortSignal): Promise<SessionCollection> {
  const sessions: Session[] = [];
  let cursor: string | undefined;
  let seq = Infinity;
  do {
    const query = { archived, sort: "created" as const, limit: PAGE, cursor };
    const page = await answered(api.GET("/api/v1/sessions", { params: { query }, signal }));
    sessions.push(...page.sessions);
    cursor = page.next ?? undefined;
    // The oldest page says since when events are needed.
    seq = Math.min(seq, page.seq);
  } while (cursor !== undefined);
  return { seq, sessions };
}
