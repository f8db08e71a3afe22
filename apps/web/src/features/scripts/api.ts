import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { done } from "@/api/jobs";
import { sessionKeys } from "@/api/queries/sessions";
import type { ScriptRun, Wire } from "@/api/types";

import { type Output, appendText } from "./model";

export const scriptKeys = {
  run: (session: string, run: number) => [...sessionKeys.of(session), "script-run", run] as const,
  servers: (session: string) => [...sessionKeys.of(session), "servers"] as const,
  output: (session: string, run: number) => [...sessionKeys.of(session), "script-output", run] as const,
  commands: (repository: string) => ["commands", repository] as const,
};

/** The newest bytes that are read of a long output. */
const TAIL = 1_048_576;
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

export const commandsQuery = (repository: string) =>
  queryOptions({
    queryKey: scriptKeys.commands(repository),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/commands", { params: { query: { path: repository } }, signal })),
    // Settings are files: nobody tells when they change.
    staleTime: 30_000,
  });

/** What a run printed and its record, followed while it goes on. */
export type RunOutput = Output & { run: ScriptRun };

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
  const known = cache.getQueryData<RunOutput>(scriptKeys.output(session, run));
  const page = await outputPage(session, run, known ? { offset: known.next } : { last: true }, signal);
  const before = known ?? { from: page.offset, lines: [{ carried: "", text: "" }] };
  let lines = appendText(before.lines, textOf(page));
  let from = before.from;
  if (page.next - from > HELD) {
    // Half of it, so that this is seldom.
    lines = lines.slice(Math.floor(lines.length / 2));
    from += Math.floor((page.next - from) / 2);
  }
  return { from, next: page.next, total: page.total, isEnd: page.is_end, lines, run: page.script_run };
}

/** The part before what was read, in front of it. */
export async function readEarlier(cache: QueryClient, session: string, run: number): Promise<void> {
  const known = cache.getQueryData<RunOutput>(scriptKeys.output(session, run));
  if (!known || known.from === 0) return;
  const offset = Math.max(0, known.from - TAIL);
  const page = await outputPage(session, run, { offset, bytes: known.from - offset });
  const earlier = appendText([{ carried: "", text: "" }], textOf(page));
  const joined = { carried: earlier.at(-1)?.carried ?? "", text: (earlier.at(-1)?.text ?? "") + (known.lines[0]?.text ?? "") };
  cache.setQueryData<RunOutput>(scriptKeys.output(session, run), (now) => now && { ...now, from: page.offset, lines: [...earlier.slice(0, -1), joined, ...now.lines.slice(1)] });
}

type Which = { offset?: number; last?: boolean; bytes?: number };

function outputPage(session: string, run: number, which: Which, signal?: AbortSignal): Promise<Wire["ScriptOutput"]> {
  const query = { bytes: TAIL, ...which };
  return answered(api.GET("/api/v1/sessions/{session}/script-runs/{run}/output", { params: { path: { session, run }, query }, signal }));
}

function textOf(page: Wire["ScriptOutput"]): string {
  if (page.text != null) return page.text;
  const bytes = Uint8Array.from(atob(page.base64 ?? ""), (sign) => sign.charCodeAt(0));
  return new TextDecoder().decode(bytes);
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
