import type { QueryClient } from "@tanstack/react-query";

import { answered, api } from "../client";
import { ApiError } from "../error";
import { dropSession, findSession, putSession } from "./session-cache";

/** Requests at once; a browser has six connections for all tabs. */
const AT_ONCE = 2;

/**
 * Asks about single sessions after events. Several events of one session within a moment are one request, and a session
 * that streams is asked about every few seconds, not at every line.
 */
export class SessionRefresher {
  readonly #cache: QueryClient;
  /** When each session is due. */
  readonly #due = new Map<string, number>();
  /** The event log's number that the last answer about each was true at. */
  readonly #seen = new Map<string, number>();
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(cache: QueryClient) {
    this.#cache = cache;
  }

  /** The session is asked about in `ms` at the latest. */
  ask(id: string, ms: number): void {
    const due = Date.now() + ms;
    this.#due.set(id, Math.min(this.#due.get(id) ?? Infinity, due));
    this.#plan();
  }

  #plan(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#running >= AT_ONCE || this.#due.size === 0) return;
    const [id, due] = [...this.#due].reduce((first, other) => (other[1] < first[1] ? other : first));
    this.#timer = setTimeout(() => void this.#refresh(id), Math.max(0, due - Date.now()));
  }

  async #refresh(id: string): Promise<void> {
    this.#due.delete(id);
    this.#running += 1;
    this.#plan();
    try {
      const { session, seq } = await look(id, findSession(this.#cache, id)?.last_iteration?.number);
      if (seq >= (this.#seen.get(id) ?? 0)) {
        this.#seen.set(id, seq);
        putSession(this.#cache, session, seq);
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === "session.not_found") dropSession(this.#cache, id);
      // Anything else: the next event, or coming back to the stream, asks again.
    } finally {
      this.#running -= 1;
      this.#plan();
    }
  }
}

/** The answer about an iteration has the session too and asks git nothing. */
async function look(session: string, iteration: number | undefined) {
  if (iteration === undefined) {
    return answered(api.GET("/api/v1/sessions/{session}", { params: { path: { session } } }));
  }
  const path = { session, iteration };
  return answered(api.GET("/api/v1/sessions/{session}/iterations/{iteration}", { params: { path } }));
}
