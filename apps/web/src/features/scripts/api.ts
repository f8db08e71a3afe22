import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { done } from "@/api/jobs";
import { sessionKeys } from "@/api/queries/sessions";
import type { ScriptRun, Wire } from "@/api/types";

import { type Output, emptyOutput, shortened, withEarlier, withLater } from "./model";

export const scriptKeys = {
  servers: (session: string) => [...sessionKeys.of(session), "servers"] as const,
  output: (session: string, run: number) => [...sessionKeys.of(session), "script-output", run] as const,
};

/** The newest bytes that are read of a long output. */
const TAIL = 1_048_576;
/** The most bytes of one character. */
const CHARACTER = 4;
/** More text than this is not held: the beginning is left out then. */
const HELD = 8 * TAIL;
/** How often the output of something that runs is asked for. */
const LOOK_MS = 400;

export const serversQuery = (session: string) =>
  queryOptions({
    queryKey: scriptKeys.servers(session),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/servers", { params: { path: { session } }, signal })),
    staleTime: Infinity,
  });

/** What a run printed and its record, followed while it goes on. */
export type RunOutput = Output & { isEnd: boolean; run: ScriptRun };

export const outputQuery = (session: string, run: number) =>
  queryOptions({
    queryKey: scriptKeys.output(session, run),
    queryFn: ({ client, signal }) => readOutput(client, session, run, signal),
    staleTime: Infinity,
    gcTime: 60_000,
    structuralSharing: false,
    refetchInterval: ({ state }) => (state.data?.isEnd === false ? LOOK_MS : false),
  });

async function readOutput(cache: QueryClient, session: string, run: number, signal: AbortSignal): Promise<RunOutput> {
  const known = () => cache.getQueryData<RunOutput>(scriptKeys.output(session, run));
  const offset = known()?.next;
  const page = await outputPage(session, run, offset === undefined ? { last: true } : { offset }, signal);
  // Earlier output may have come meanwhile.
  const output = withLater(known() ?? emptyOutput(page.offset), bytesOf(page));
  return { ...shortened(output, HELD), isEnd: page.is_end, run: page.script_run };
}

/** The part before what was read, in front of it. */
export async function readEarlier(cache: QueryClient, session: string, run: number): Promise<void> {
  const key = scriptKeys.output(session, run);
  const known = cache.getQueryData<RunOutput>(key);
  if (!known || known.from === 0) return;
  const begin = Math.max(0, known.from - TAIL + CHARACTER);
  // A character at the end that is not whole is left out of an answer, so a little more is asked for.
  const page = await outputPage(session, run, { offset: begin, bytes: known.from - begin + CHARACTER });
  const bytes = bytesOf(page).subarray(0, known.from - begin);
  // The beginning may have been cut meanwhile.
  cache.setQueryData<RunOutput>(key, (now) => (now?.from === known.from ? { ...now, ...withEarlier(now, bytes) } : now));
}

type Which = { offset?: number; last?: boolean; bytes?: number };

function outputPage(session: string, run: number, which: Which, signal?: AbortSignal): Promise<Wire["ScriptOutput"]> {
  const query = { bytes: TAIL, ...which };
  return answered(api.GET("/api/v1/sessions/{session}/script-runs/{run}/output", { params: { path: { session, run }, query }, signal }));
}

function bytesOf(page: Wire["ScriptOutput"]): Uint8Array {
  if (page.text != null) return new TextEncoder().encode(page.text);
  return Uint8Array.from(atob(page.base64 ?? ""), (sign) => sign.charCodeAt(0));
}

const at = (session: string) => ({ params: { path: { session } } });

export const scriptActions = {
  start: (session: string, body: Wire["StartScript"]) => answered(api.POST("/api/v1/sessions/{session}/script-runs", { ...at(session), body })),
  stop: (session: string, run: number) => answered(api.POST("/api/v1/sessions/{session}/script-runs/{run}/stop", { params: { path: { session, run } }, body: {} })),
  startServer: (session: string, server: string, body: Wire["StartServer"]) =>
    answered(api.POST("/api/v1/sessions/{session}/servers/{server}/start", { params: { path: { session, server } }, body })),
  restartServer: (session: string, server: string, body: Wire["StartServer"]) =>
    done<Wire["ServerAnswer"]>(api.POST("/api/v1/sessions/{session}/servers/{server}/restart", { params: { path: { session, server } }, body })),
  stopServer: (session: string, server: string) => done<Wire["ServerAnswer"]>(api.POST("/api/v1/sessions/{session}/servers/{server}/stop", { params: { path: { session, server } } })),
};
