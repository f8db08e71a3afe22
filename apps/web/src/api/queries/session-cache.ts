import type { QueryClient } from "@tanstack/react-query";

import type { Session, SessionDetail } from "../types";
import { type SessionCollection, sessionKeys } from "./sessions";

/** Puts a session, as an answer told it, wherever the cache has it. Older answers change nothing. */
export function putSession(cache: QueryClient, session: Session, seq: number): void {
  for (const archived of [false, true]) {
    cache.setQueryData<SessionCollection>(sessionKeys.list(archived), (list) =>
      list && list.seq <= seq ? withSession(list, session, archived) : list,
    );
  }
  cache.setQueryData<SessionDetail>(sessionKeys.detail(session.id), (detail) =>
    detail && detail.seq <= seq ? { ...detail, session, seq } : detail,
  );
}

/** The same with an answer that may have a session. */
export function putAnswer(cache: QueryClient, answer: unknown): void {
  if (hasSession(answer)) putSession(cache, answer.session, answer.seq);
}

function hasSession(answer: unknown): answer is { session: Session; seq: number } {
  return typeof answer === "object" && answer !== null && "session" in answer && answer.session != null && "seq" in answer;
}

/** Changes a session wherever the cache has it. */
export function patchSession(cache: QueryClient, id: string, patch: Partial<Session>): void {
  const known = findSession(cache, id);
  if (!known) return;
  const changed = { ...known, ...patch };
  for (const archived of [false, true]) {
    cache.setQueryData<SessionCollection>(sessionKeys.list(archived), (list) => list && withSession(list, changed, archived));
  }
  cache.setQueryData<SessionDetail>(sessionKeys.detail(id), (detail) =>
    detail ? { ...detail, session: { ...detail.session, ...patch } } : detail,
  );
}

/** Takes a session out of the cache. */
export function dropSession(cache: QueryClient, id: string): void {
  for (const archived of [false, true]) {
    cache.setQueryData<SessionCollection>(
      sessionKeys.list(archived),
      (list) => list && { ...list, sessions: list.sessions.filter((session) => session.id !== id) },
    );
  }
  cache.removeQueries({ queryKey: sessionKeys.of(id) });
}

/** What the cache knows of a session. */
export function findSession(cache: QueryClient, id: string): Session | undefined {
  const detail = cache.getQueryData<SessionDetail>(sessionKeys.detail(id));
  if (detail) return detail.session;
  for (const archived of [false, true]) {
    const list = cache.getQueryData<SessionCollection>(sessionKeys.list(archived));
    const found = list?.sessions.find((session) => session.id === id);
    if (found) return found;
  }
  return undefined;
}

function withSession(list: SessionCollection, session: Session, archived: boolean): SessionCollection {
  const isIn = archived || session.archived_at == null;
  const place = list.sessions.findIndex((other) => other.id === session.id);
  if (place === -1) return isIn ? { ...list, sessions: [session, ...list.sessions] } : list;
  const sessions = isIn ? list.sessions.with(place, session) : list.sessions.toSpliced(place, 1);
  return { ...list, sessions };
}
