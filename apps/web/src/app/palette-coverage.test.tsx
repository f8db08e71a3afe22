/** Equal powers: what the API can do for a person has an entry in the palette, or a reason why not. */
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, render, waitFor } from "@testing-library/react";
import { beforeAll, expect, it } from "vitest";

import { pause } from "@/api/client";
import type { Session, SessionDetail, Wire } from "@/api/types";
import { setPlatform } from "@/platform/current";
import { FakeApi, sessionPage } from "@/testing/fake-api";
import { aDetail, aSession, anIteration } from "@/testing/fixtures";
import { type Command, currentCommands } from "@/ui/commands/registry";

import { createAppRouter } from "./router";

const SESSION = "7py67r";
const APPROVAL: Wire["Approval"] = { by: "me", at: "2026-05-04T10:00:00Z", commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904" };
const RUN: Wire["ScriptRun"] = { id: 7, session_id: SESSION, script: "dev", command: "npm run dev", log: "/tmp/log", started_at: "2026-05-04T10:00:00Z", state: "running" };
const FILE = { path: "src/a.js", kind: "M" as const, insertions: 1, deletions: 1, original: null };
const CONFLICTS = { seq: 1, in_progress: true, onto: "main", onto_commit: APPROVAL.commit, commit: null, commits_after: 0, conflicts: [], migrations: [], case_clashes: [] };

/** Pages that register entries while they are open, with the session as it is then. A page that adds some is listed here. */
const PAGES: readonly { path: string; session?: Partial<Session>; detail?: Partial<SessionDetail> }[] = [
  { path: "/" },
  { path: `/?selected=${SESSION}` },
  { path: "/new" },
  { path: "/dashboard" },
  { path: "/manage/queue" },
  { path: "/conflicts" },
  { path: `/sessions/${SESSION}` },
  { path: `/sessions/${SESSION}`, session: { status: "running" } },
  { path: `/sessions/${SESSION}`, session: { status: "awaiting_input" } },
  { path: `/sessions/${SESSION}`, session: { status: "interrupted" } },
  { path: `/sessions/${SESSION}`, session: { status: "completed", archived_at: "2026-05-04T10:00:00Z" } },
  { path: `/sessions/${SESSION}`, session: { status: "completed", in_trash: true } },
  { path: `/sessions/${SESSION}`, session: { status: "conflicted" } },
  { path: `/sessions/${SESSION}`, detail: { approval: APPROVAL } },
  { path: `/sessions/${SESSION}?tab=diff` },
  { path: `/sessions/${SESSION}?tab=scripts` },
  { path: `/sessions/${SESSION}?tab=inspector` },
  { path: `/sessions/${SESSION}/conflicts`, session: { status: "conflicted" } },
];

/** Operations without an entry of their own, and why. */
const EXCEPTIONS: Record<string, string> = {
  stream_events: "the page follows the log all the time",
  claim_notification: "whoever shows a notification claims it, nobody else",
  list_directory: "files that changed are in the tree of the session; others are read in an editor",
  get_setting: "the list of settings has each of them",
  get_template: "the list of templates has all that they say",
  export_session: "the page downloads the patch, which then may have any size",
  get_setup: "the session says how its set-up stands, and its run has the output",
  get_script_run: "the output of a run comes with the run",
};

let commands: ReadonlyMap<string, Command>;

beforeAll(async () => {
  commands = await commandsOf(PAGES);
}, 120_000);

it("has an entry for every operation of the API", () => {
  const known = new Set([...covered(), ...Object.keys(EXCEPTIONS)]);
  expect(operations().filter((operation) => !known.has(operation))).toEqual([]);
});

it("names only operations that there are", () => {
  const there = new Set(operations());
  const named = [...covered(), ...Object.keys(EXCEPTIONS)];
  expect(named.filter((operation) => !there.has(operation))).toEqual([]);
});

it("names only operations that the page asks for", () => {
  const asked = operationsAsked();
  expect([...covered()].filter((operation) => !asked.has(operation))).toEqual([]);
});

it("excuses nothing that has its entry", () => {
  const excused = [...Object.keys(EXCEPTIONS)];
  const entries = covered();
  expect(excused.filter((operation) => entries.has(operation))).toEqual([]);
});

it("tells entries apart", () => {
  const shown = [...commands.values()].filter((command) => command.isHidden !== true);
  const titles = shown.map((command) => `${command.group}: ${command.title}`);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  for (const command of shown) expect(command.title).toMatch(/^\S.*\S$/);
});

function covered(): Set<string> {
  return new Set([...commands.values()].flatMap((command) => command.operations ?? []));
}

/** Every operation of the document that the server is described by: its name by its method and address. */
function described(): ReadonlyMap<string, string> {
  const text = readFileSync(path.join(import.meta.dirname, "../../../../docs/reference/openapi.json"), "utf8");
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { operationId?: string }>> };
  return new Map(
    Object.entries(paths).flatMap(([address, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId }]) => (operationId === undefined ? [] : [[`${method.toUpperCase()} ${address}`, operationId] as const])),
    ),
  );
}

function operations(): string[] {
  return [...described().values()];
}

/** The operations that are written in the sources of the page. */
function operationsAsked(): Set<string> {
  const sources = path.join(import.meta.dirname, "..");
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."));
  const names = described();
  const calls = files.flatMap((file) => [...readFileSync(path.join(sources, file), "utf8").matchAll(/\bapi\.([A-Z]+)\(\s*"([^"]+)"/g)]);
  return new Set(calls.flatMap(([, method, address]) => names.get(`${method ?? ""} ${address ?? ""}`) ?? []));
}

/** What is registered for real while each of the pages is open. */
async function commandsOf(pages: typeof PAGES): Promise<ReadonlyMap<string, Command>> {
  let session = aSession({ id: SESSION });
  let detail: Partial<SessionDetail> = {};
  const api = new FakeApi()
    .on("get", "/api/v1/sessions", () => sessionPage([session]))
    .on("get", "/api/v1/sessions/{session}", () => aDetail(session, detail))
    .on("get", "/api/v1/sessions/{session}/iterations", () => ({ iterations: [anIteration()], seq: 0, session_id: SESSION }))
    .on("get", "/api/v1/sessions/{session}/diff", () => ({ seq: 1, session, total: 1, insertions: 1, deletions: 1, files: [FILE], next: null }))
    .on("get", "/api/v1/sessions/{session}/diff/file", () => ({ seq: 1, session_id: SESSION, file: { ...FILE, patch: "", patch_too_large: false } }))
    .on("get", "/api/v1/sessions/{session}/log", () => ({ seq: 1, session, commits: [], iterations: [], script_runs: [] }))
    .on("get", "/api/v1/sessions/{session}/conflicts", () => ({ ...CONFLICTS, session }))
    .on("get", "/api/v1/sessions/{session}/operations", () => ({ seq: 1, session, operations: [], next_undo: null, next_redo: null }))
    .on("get", "/api/v1/sessions/{session}/script-runs", () => ({ seq: 1, session_id: SESSION, total: 0, script_runs: [] }))
    .on("get", "/api/v1/sessions/{session}/servers", () => ({ seq: 1, session_id: SESSION, servers: [{ name: "web" }, { name: "dev", script_run: RUN }] }))
    .on("get", "/api/v1/commands", () => ({ commands: [], seq: 0 }))
    .on("get", "/api/v1/repositories", () => ({ repositories: [], seq: 0 }));
  setPlatform(api.platform());
  const found = new Map<string, Command>();
  for (const page of pages) {
    session = aSession({ id: SESSION, ...page.session });
    detail = page.detail ?? {};
    window.history.pushState({}, "", page.path);
    const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    const router = createAppRouter(cache);
    const shown = render(
      <MantineProvider env="test">
        <QueryClientProvider client={cache}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>,
    );
    const isCalm = () => router.state.status === "idle" && cache.isFetching() === 0;
    do {
      await waitFor(() => expect(isCalm()).toBe(true), { timeout: 20_000 });
      // What was read is shown now, and what is shown may ask for more.
      await act(() => pause(0));
    } while (!isCalm());
    for (const command of currentCommands()) found.set(command.id, command);
    shown.unmount();
  }
  return found;
}
