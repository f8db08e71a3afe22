import createClient, { type Middleware } from "openapi-fetch";

import { platform } from "@/platform/current";

import { ApiError, errorOf } from "./error";
import type { Paths } from "./types";

/** How often a write is sent at most while no answer comes. Its key makes sure that it is done once. */
const TRIES = 3;
const PAUSE_MS = 400;

/** Every operation of the engine, typed by its address. Wrap a call in `answered`. */
export const api = createClient<Paths>({
  baseUrl: window.location.origin,
  fetch: (request: Request) => send(request),
});

const keys: Middleware = {
  onRequest({ request }) {
    if (request.method !== "GET" && !request.headers.has(KEY)) request.headers.set(KEY, newKey());
    return request;
  },
};
api.use(keys);

const KEY = "Idempotency-Key";

/** The body of an answer; throws an `ApiError` when it tells of a failure. */
export async function answered<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (data !== undefined) return data;
  throw errorOf(error, response.status);
}

async function send(request: Request): Promise<Response> {
  const isWrite = request.method !== "GET";
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await platform().request(isWrite ? request.clone() : request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      if (!isWrite || attempt === TRIES) throw ApiError.unreachable();
      await pause(PAUSE_MS * attempt);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Random digits. `crypto.randomUUID` is missing where the page came without TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
