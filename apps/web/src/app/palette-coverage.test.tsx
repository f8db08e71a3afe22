/** Equal powers: what the API can do for a person has an entry in the palette, or a reason why not. */
import { readFileSync } from "node:fs";
import path from "node:path";

import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { render, waitFor } from "@testing-library/react";
import { beforeAll, expect, it } from "vitest";

import { pause } from "@/api/client";
import { setPlatform } from "@/platform/current";
import { FakeApi, sessionPage } from "@/testing/fake-api";
import { aSession, anIteration } from "@/testing/fixtures";
import { type Command, currentCommands } from "@/ui/commands/registry";

import { createAppRouter } from "./router";

const SESSION = "7py67r";

/** Pages that register entries while they are open. A page that adds some is listed here. */
const PAGES = ["/", `/sessions/${SESSION}`, "/new", "/dashboard", "/manage/queue"];

/** Operations without an entry of their own, and why. */
const EXCEPTIONS: Record<string, string> = {
  stream_events: "the page follows the log all the time",
  claim_notification: "whoever shows a notification claims it, nobody else",
  get_setting: "the list of settings has each of them",
  get_template: "the list of templates has all that they say",
};

/** Operations whose entries come with a page that is not here yet. An operation that has its entry must be taken out. */
const TO_COME: Record<string, string[]> = {
  home: ["list_sessions", "land_sessions", "archive_session", "unarchive_session", "forget_session", "resume_session", "plan_cleanup", "cleanup_session"],
  session: [
    "get_session",
    "set_session_field",
    "refresh_session",
    "get_agent_command",
    "answer_session",
    "discard_changes",
    "undo_discard",
    "list_iterations",
    "start_iteration",
    "get_iteration",
    "decide_permission",
    "list_artifacts",
    "collect_artifacts",
    "get_artifact",
    "commit_changes",
    "get_guard_report",
    "get_session_log",
    "list_directory",
    "read_file",
    "save_file",
    "export_session",
    "download_patch",
    "get_output",
    "get_transcript",
    "search_transcript",
    "list_script_runs",
    "start_script",
    "get_script_run",
    "get_script_output",
    "get_setup",
    "start_setup",
    "list_servers",
    "start_server",
    "restart_server",
    "stop_server",
    "approve_session",
    "withdraw_approval",
    "check_session",
    "merge_session",
    "open_pull_request",
    "push_session",
    "rebase_session",
    "squash_session",
  ],
  diff: ["list_changes", "get_file_diff"],
  conflicts: ["compare_sessions", "list_conflicts", "regenerate_lockfile", "resolve_conflict", "compare_conflict", "step_rebase"],
};

let commands: ReadonlyMap<string, Command>;

beforeAll(async () => {
  commands = await commandsOf(PAGES);
}, 120_000);

it("has an entry for every operation of the API", () => {
  const known = new Set([...covered(), ...Object.keys(EXCEPTIONS), ...Object.values(TO_COME).flat()]);
  expect(operations().filter((operation) => !known.has(operation))).toEqual([]);
});

it("names only operations that there are", () => {
  const there = new Set(operations());
  const named = [...covered(), ...Object.keys(EXCEPTIONS), ...Object.values(TO_COME).flat()];
  expect(named.filter((operation) => !there.has(operation))).toEqual([]);
});

it("excuses nothing that has its entry", () => {
  const excused = [...Object.keys(EXCEPTIONS), ...Object.values(TO_COME).flat()];
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

/** Every operation of the document that the server is described by. */
function operations(): string[] {
  const text = readFileSync(path.join(import.meta.dirname, "../../../../docs/reference/openapi.json"), "utf8");
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { operationId?: string }>> };
  return Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ operationId }) => operationId ?? []));
}

/** What is registered for real while each of the pages is open. */
async function commandsOf(pages: readonly string[]): Promise<ReadonlyMap<string, Command>> {
  const session = aSession({ id: SESSION });
  const api = new FakeApi()
    .on("get", "/api/v1/sessions", () => sessionPage([session]))
    .on("get", "/api/v1/sessions/{session}/iterations", () => ({ iterations: [anIteration()], seq: 0, session_id: SESSION }))
    .on("get", "/api/v1/repositories", () => ({ repositories: [], seq: 0 }));
  setPlatform(api.platform());
  const found = new Map<string, Command>();
  for (const page of pages) {
    window.history.pushState({}, "", page);
    const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    const router = createAppRouter(cache);
    const shown = render(
      <MantineProvider env="test">
        <QueryClientProvider client={cache}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>,
    );
    await waitFor(() => expect(router.state.status).toBe("idle"), { timeout: 20_000 });
    await waitFor(() => expect(cache.isFetching()).toBe(0), { timeout: 20_000 });
    await pause(50);
    for (const command of currentCommands()) found.set(command.id, command);
    shown.unmount();
  }
  return found;
}
