import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";

import { jobsHandler } from "@/api/queries/jobs";
import { historyHandler } from "@/api/queries/session-history";
import { sessionHandler } from "@/api/queries/session-live";
import type { Session, SessionDetail, Wire } from "@/api/types";
import { FakeApi, Refusal } from "@/testing/fake-api";
import { aDetail, aSession, anIteration, doneJob } from "@/testing/fixtures";
import { askAgain, renderUi } from "@/testing/render";

import { SessionFrame } from "./components/session-frame";

const RUN: Wire["ScriptRun"] = { id: 7, session_id: "7py67r", script: "setup", command: "npm ci", log: "/tmp/log", started_at: "2026-05-04T10:00:00Z", state: "running" };

function serving(session: Session, said: Partial<SessionDetail> = {}): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/sessions/{session}", () => aDetail(session, { changes: [], ...said }))
    .on("get", "/api/v1/sessions/{session}/log", () => ({ session, seq: 1, commits: [], iterations: [], script_runs: [] }))
    .on("get", "/api/v1/sessions/{session}/operations", () => ({ session, seq: 1, operations: [], next_undo: null, next_redo: null }))
    .on("get", "/api/v1/jobs", () => ({ jobs: [] }));
}

function show(api: FakeApi) {
  const shown: object[] = [];
  const page = renderUi(
    <SessionFrame session="7py67r" tab="transcript" onShow={(place) => shown.push(place)} onConflicts={() => shown.push({ conflicts: true })} left={() => "files"} content={(tab) => `content of ${tab}`} />,
    { api, handlers: (cache) => [sessionHandler(cache), historyHandler, jobsHandler] },
  );
  return { ...page, shown };
}

it("keeps its places while it is being read", async () => {
  const api = new FakeApi().on("get", "/api/v1/sessions/{session}", () => new Promise(() => undefined));
  show(api);
  expect((await screen.findAllByRole("status", { name: "Loading" })).length).toBeGreaterThan(0);
});

it("says why a session cannot be shown, and tries again", async () => {
  const api = serving(aSession()).on("get", "/api/v1/sessions/{session}", () => {
    throw new Refusal(500, { code: "store.failed", message: "the disk is full" });
  });
  show(api);
  expect(await screen.findByText("the disk is full")).toBeVisible();
  api.on("get", "/api/v1/sessions/{session}", () => aDetail(aSession()));
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("heading", { name: "session-7py67r" })).toBeVisible();
});

it("keeps what is shown, and open dialogs, when it cannot be read again", async () => {
  const { api, cache } = show(serving(aSession()));
  await userEvent.click(await screen.findByRole("button", { name: "New iteration" }));
  api.on("get", "/api/v1/sessions/{session}", () => {
    throw new Refusal(500, { code: "store.failed", message: "the disk is full" });
  });
  await askAgain(cache);
  expect(screen.queryByText("the disk is full")).toBeNull();
  expect(screen.getByRole("dialog", { name: "New iteration" })).toBeVisible();
});

it("says that there is no such session", async () => {
  const api = new FakeApi().on("get", "/api/v1/sessions/{session}", () => {
    throw new Refusal(404, { code: "session.not_found", message: "no session matches `7py67r`" });
  });
  show(api);
  expect(await screen.findByText("There is no such session")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

it("shows where the session is and how it stands, with copy buttons", async () => {
  const session = aSession({ status: "error", ahead: 2, behind: 1, dirty: null, last_iteration: anIteration({ outcome: "failed", message: "no credit left" }) });
  const { api } = show(serving(session));
  expect(await screen.findByText("Iteration 1: no credit left")).toBeVisible();
  expect(screen.getByText("2 ahead of, 1 behind main")).toBeVisible();
  expect(screen.getByText(/changes not known/)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Copy branch" }));
  await userEvent.click(screen.getByRole("button", { name: "Copy path of the worktree" }));
  expect(api.copied).toEqual([session.branch_name, session.worktree_path]);
  expect(screen.getByRole("link", { name: "VS Code" })).toHaveAttribute("href", "vscode://file/home/me/project/.worktrees/7py67r");
});

it("opens a terminal on this machine, and gives the command for it elsewhere", async () => {
  const api = serving(aSession());
  api.on("post", "/api/v1/sessions/{session}/window", () => ({ session_id: "7py67r", program: "/usr/bin/xterm", notes: ["port 4100 moved to 4101"] }));
  const here = show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Terminal" }));
  expect(await screen.findByText("port 4100 moved to 4101")).toBeVisible();
  expect(api.requests("POST /api/v1/sessions/7py67r/window").map(({ body }) => body)).toEqual([{ with: "terminal" }]);
  here.unmount();
  const platform = api.platform();
  vi.spyOn(api, "platform").mockReturnValue({ ...platform, isEngineHere: false });
  show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Terminal" }));
  expect(api.copied).toEqual(["orchestra session shell 7py67r"]);
});

it("leads to a server that runs", async () => {
  const server = { ...RUN, script: "dev", server: { state: "ready", url: "http://login.localhost:4100/" } };
  const { api } = show(serving(aSession({ servers: [server] })));
  await userEvent.click(await screen.findByRole("button", { name: "dev" }));
  expect(api.opened).toEqual(["http://login.localhost:4100/"]);
});

it("offers resume, keep and discard after an interruption", async () => {
  const session = aSession({ status: "interrupted", dirty: true, last_iteration: anIteration({ number: 3, outcome: "interrupted", message: "its runner died" }) });
  const api = serving(session).on("post", "/api/v1/sessions/{session}/resume", () => ({ session: aSession({ status: "queued" }), iteration: anIteration(), seq: 9 }));
  show(api);
  expect(await screen.findByText(/Iteration 3 was cut off: its runner died/)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Discard what was left" }));
  expect(await screen.findByText("What is discarded, in a snapshot.")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.click(screen.getByRole("button", { name: "Keep and commit" }));
  expect(await screen.findByDisplayValue("Keep what iteration 3 left")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.click(screen.getByRole("button", { name: "Resume" }));
  expect(await screen.findByText("Queued")).toBeVisible();
});

it("leads from conflicts to their resolution, or gives the rebase up", async () => {
  const { shown } = show(serving(aSession({ status: "conflicted" })));
  await userEvent.click(await screen.findByRole("button", { name: "Resolve" }));
  expect(shown).toEqual([{ conflicts: true }]);
  await userEvent.click(screen.getByRole("button", { name: "Give up the rebase" }));
  expect(await screen.findByText("All commits of the session, as they were.")).toBeVisible();
});

it("brings back what was put away or lies in the trash", async () => {
  const api = serving(aSession({ archived_at: "2026-05-04T10:00:00Z", in_trash: true }))
    .on("delete", "/api/v1/sessions/{session}/archived", () => ({ session: aSession({ in_trash: true }), seq: 5 }))
    .on("post", "/api/v1/trash/restore", () => ({ session: aSession(), seq: 6, path: "/x", branches: [] }));
  show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Bring the session back" }));
  await waitFor(() => expect(screen.queryByText(/Put away/)).toBeNull());
  await userEvent.click(screen.getByRole("button", { name: "Restore from the trash" }));
  await waitFor(() => expect(screen.queryByText(/lies in the trash/)).toBeNull());
  expect(api.requests("POST /api/v1/trash/restore")[0]?.body).toEqual({ what: "7py67r" });
});

it("says that the directory cannot be read", async () => {
  show(serving(aSession({ status: "error", checked_at: "2026-05-04T10:00:00Z" }), { changes: null }));
  expect(await screen.findByText(/Its directory cannot be read/)).toBeVisible();
});

it("shows the set-up that runs and leads to its log", async () => {
  const { shown } = show(serving(aSession({ status: "initializing", setup: "running", setup_run: RUN })));
  await userEvent.click(await screen.findByRole("button", { name: "Show its log" }));
  expect(shown).toEqual([{ tab: "scripts", run: 7 }]);
});

it("says until when a blocked session waits", async () => {
  const parked = { until: new Date(Date.now() + 60_000).toISOString(), retry: 1, retries: 5 };
  show(serving(aSession({ status: "blocked", last_iteration: anIteration({ state: "blocked", message: "the provider is overloaded", parked }) })));
  expect(await screen.findByText(/It is tried again/)).toBeVisible();
});

const CHECKS: Wire["CheckRow"][] = [
  { name: "clean", state: "pass", required: true, text: "nothing is uncommitted" },
  { name: "script", state: "fail", required: true, text: "`test` failed", hint: "run it again" },
];

it("merges only past checks that fail by name, and offers undo", async () => {
  const session = aSession({ ahead: 1 });
  const landed = aSession({ status: "completed", landed_into: "main" });
  const answer = { session: landed, seq: 9, into: "main", from: "a", commit: "b", how: "fast_forward", is_partial: false, overridden: ["script"] };
  const job = { id: "j1", operation: "merge_session", state: "succeeded" as const, steps: ["looked"], version: 1, started_at: "2026-05-04T10:00:00Z", session_id: session.id, answer };
  const api = serving(session)
    .on("get", "/api/v1/sessions/{session}/check", () => ({ session, seq: 1, into: "main", passes: false, checks: CHECKS }))
    .on("post", "/api/v1/sessions/{session}/merge", () => ({ job }))
    .on("post", "/api/v1/sessions/{session}/undo", () => ({ job: { ...job, id: "j2", answer: { session, seq: 10, operation: { id: 2, kind: "undo", state: "done", summary: "landed on main", started_at: "x", has_snapshot: true, overridden: [] } } } }));
  show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Merge" }));
  const dialog = await screen.findByRole("dialog");
  expect(await within(dialog).findByText("test", { selector: "code" })).toBeVisible();
  expect(within(dialog).getByRole("button", { name: "Merge" })).toBeDisabled();
  await userEvent.click(within(dialog).getByRole("checkbox", { name: "Override this check (recorded)" }));
  await userEvent.click(within(dialog).getByRole("button", { name: "Merge all the same" }));
  expect(await screen.findByText("Completed")).toBeVisible();
  expect(api.requests("POST /api/v1/sessions/7py67r/merge")[0]?.body).toMatchObject({ overridden: ["script"], form: "fitting" });
  const toast = await screen.findByRole("alert");
  expect(toast).toHaveTextContent("Landed on main");
  await userEvent.click(within(toast).getByRole("button", { name: "Undo" }));
  expect(await screen.findByText("Taken back: landed on main")).toBeVisible();
});

it("asks before it runs a command of the repository's own file", async () => {
  const session = aSession();
  const api = serving(session).on("post", "/api/v1/sessions/{session}/script-runs", ({ body }) => {
    if ((body as { allow_commands?: boolean }).allow_commands !== true) throw new Refusal(409, { code: "command.not_allowed", message: "`npm test` is not allowed" });
    return { session, seq: 2, script_run: RUN };
  });
  const { shown } = show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Run tests" }));
  await userEvent.click(await screen.findByRole("button", { name: "Allow and run" }));
  await waitFor(() => expect(shown).toEqual([{ tab: "scripts", run: 7 }]));
});

it("lets a set-up be allowed where it failed", async () => {
  const session = aSession({ setup: "not_allowed", setup_run: { ...RUN, state: "not_allowed" } });
  const api = serving(session).on("post", "/api/v1/sessions/{session}/setup", ({ body }) => {
    if ((body as { allow_commands?: boolean }).allow_commands !== true) throw new Refusal(409, { code: "command.not_allowed", message: "`npm ci` is not allowed" });
    return { session, seq: 2, script_run: RUN };
  });
  const { shown } = show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Run the set-up" }));
  expect(await screen.findByText("`npm ci` is not allowed")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Allow and run" }));
  await waitFor(() => expect(shown).toEqual([{ tab: "scripts", run: 7 }]));
});

it("plans a clean-up and wants consent to what stands in its way", async () => {
  const session = aSession({ ahead: 1 });
  const plan = { session, seq: 1, dry_run: true, branch_deleted: false, databases: [], overridden: [], servers: [], uncommitted: 0, drops_for_good: false, is_done: false, stops_work: false };
  const api = serving(session).on("get", "/api/v1/sessions/{session}/cleanup", ({ query }) =>
    query.get("even_unlanded") === "true"
      ? { ...plan, is_possible: true, obstacles: [] }
      : { ...plan, is_possible: false, obstacles: [{ code: "cleanup.unlanded", message: "it is not part of `main`" }] },
  );
  show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Clean up" }));
  const dialog = await screen.findByRole("dialog");
  expect(await within(dialog).findByText(/it is not part of/)).toHaveTextContent("it is not part of main");
  const confirm = within(dialog).getByRole("button", { name: "Clean up" });
  expect(confirm).toBeDisabled();
  await userEvent.click(within(dialog).getByRole("checkbox", { name: "Even though the work is not part of the base" }));
  await waitFor(() => expect(confirm).toBeEnabled());
});

it("lets a consent to a command be withdrawn again", async () => {
  const session = aSession({ ahead: 1 });
  const plan = { session, seq: 1, dry_run: true, branch_deleted: false, databases: [], overridden: [], servers: [], uncommitted: 0, drops_for_good: false, is_done: false, stops_work: false };
  const api = serving(session).on("get", "/api/v1/sessions/{session}/cleanup", ({ query }) =>
    query.get("allow_commands") === "true"
      ? { ...plan, is_possible: true, obstacles: [] }
      : { ...plan, is_possible: false, obstacles: [{ code: "command.not_allowed", message: "`docker compose down` is not allowed" }] },
  );
  show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Clean up" }));
  const dialog = await screen.findByRole("dialog");
  await userEvent.click(await within(dialog).findByRole("checkbox", { name: /Allow the command/ }));
  await waitFor(() => expect(within(dialog).getByRole("button", { name: "Clean up" })).toBeEnabled());
  expect(within(dialog).getByRole("checkbox", { name: /Allow the command/ })).toBeChecked();
});

it("changes a field from what it is now", async () => {
  const session = aSession({ other_checkout: { kind: "branch", name: "other" } });
  const api = serving(session).on("put", "/api/v1/sessions/{session}/fields/{field}", () => ({ session, seq: 2 }));
  show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Change name, notes, model, budget" }));
  const dialog = await screen.findByRole("dialog");
  await userEvent.click(within(dialog).getByRole("combobox", { name: "Field" }));
  await userEvent.click(await screen.findByRole("option", { name: "branch" }));
  const value = within(dialog).getByRole("textbox", { name: "Value" });
  expect(value).toHaveValue(session.branch_name);
  expect(within(dialog).getByRole("button", { name: "Change" })).toBeDisabled();
  await userEvent.clear(value);
  expect(within(dialog).getByRole("button", { name: "Change" })).toBeDisabled();
  await userEvent.type(value, "amp/other");
  await userEvent.click(within(dialog).getByRole("button", { name: "Change" }));
  await waitFor(() => expect(api.requests("PUT /api/v1/sessions/7py67r/fields/branch")[0]?.body).toEqual({ value: "amp/other" }));
});

it("leaves the page of a session that was forgotten", async () => {
  const { api } = show(serving(aSession({ worktree_deleted_at: "2026-05-04T10:00:00Z" })).on("delete", "/api/v1/sessions/{session}", () => ({ id: "7py67r", name: "session-7py67r", databases: [], left: [], seq: 2 })));
  await userEvent.click(await screen.findByRole("button", { name: "Forget the session" }));
  await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Forget" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(api.requests("DELETE /api/v1/sessions/7py67r")).toHaveLength(1);
});

const REBASED: Wire["Rebased"] = { session: aSession(), seq: 3, state: "up_to_date", onto: "main", onto_commit: "b", conflicts: [], dropped: [] };

it("offers no undo after a rebase that had nothing to do", async () => {
  show(serving(aSession({ ahead: 1 })).on("post", "/api/v1/sessions/{session}/rebase", () => doneJob("rebase_session", REBASED)));
  await userEvent.click(await screen.findByRole("button", { name: "Squash and rebase" }));
  await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Rebase" }));
  const toast = await screen.findByRole("alert");
  expect(toast).toHaveTextContent("main has nothing new");
  expect(within(toast).queryByRole("button", { name: "Undo" })).toBeNull();
});

it("tells of a squash even if the rebase after it fails, and does not squash again", async () => {
  const session = aSession({ ahead: 3 });
  const api = serving(session)
    .on("post", "/api/v1/sessions/{session}/squash", () => ({ session, seq: 2, squashed: 3, head: "a", commits: ["a"] }))
    .on("post", "/api/v1/sessions/{session}/rebase", () => {
      throw new Refusal(409, { code: "git.failed", message: "git failed" });
    });
  show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Squash and rebase" }));
  const dialog = await screen.findByRole("dialog");
  await userEvent.click(within(dialog).getByRole("button", { name: "Squash and rebase" }));
  expect(await within(dialog).findByText("git failed")).toBeVisible();
  expect(screen.getByText("Made one commit of 3")).toBeVisible();
  await userEvent.click(within(dialog).getByRole("button", { name: "Rebase" }));
  await waitFor(() => expect(api.requests("POST /api/v1/sessions/7py67r/rebase")).toHaveLength(2));
  expect(api.requests("POST /api/v1/sessions/7py67r/squash")).toHaveLength(1);
});

it("tells what happened, newest first, and takes back the last operation", async () => {
  const session = aSession();
  const commit = { id: "c".repeat(40), short: "ccccccc", subject: "Check the arguments", author: "Test", at: "2026-05-04T10:01:00Z", files: [{ path: "a.js", kind: "M", insertions: 3, deletions: 1 }] };
  const operation = { id: 4, kind: "squash" as const, state: "done" as const, summary: "made one commit of 3", started_at: "2026-05-04T10:05:00Z", has_snapshot: true, overridden: [] };
  const api = serving(session)
    .on("get", "/api/v1/sessions/{session}/log", () => ({ session, seq: 1, commits: [commit], iterations: [anIteration({ outcome: "succeeded", duration_ms: 65_000, cost: { micro_usd: 1_250_000, source: "reported" } })], script_runs: [{ ...RUN, state: "failed", exit_code: 2, finished_at: "2026-05-04T10:00:02Z" }] }))
    .on("get", "/api/v1/sessions/{session}/operations", () => ({ session, seq: 1, operations: [operation], next_undo: 4, next_redo: null }));
  const { shown } = show(api);
  const timeline = await screen.findByRole("list", { name: "Timeline" });
  await within(timeline).findByText("made one commit of 3");
  expect(within(timeline).getAllByRole("listitem")[0]).toHaveTextContent("made one commit of 3");
  expect(within(timeline).getByText("ccccccc")).toBeVisible();
  expect(within(timeline).getByText("1 file +3 −1")).toBeVisible();
  expect(within(timeline).getByText("exit code 2")).toBeVisible();
  expect(screen.getByRole("img", { name: "Cost: $1.25 in all" })).toBeVisible();
  expect(screen.getByRole("img", { name: "Tokens: – in all" })).toBeVisible();
  await userEvent.click(within(timeline).getByRole("button", { name: "Iteration 1 succeeded" }));
  expect(shown).toEqual([{ tab: "inspector", iteration: 1 }]);
  await userEvent.click(within(timeline).getByRole("button", { name: "Undo" }));
  expect(await screen.findByText("Takes back: made one commit of 3.")).toBeVisible();
});

it("shows work that goes on since before the page was loaded", async () => {
  const job = { id: "j1", operation: "merge_session", state: "running" as const, steps: ["looked at the base"], version: 1, started_at: "x", session_id: "7py67r" };
  const { api } = show(serving(aSession()).on("get", "/api/v1/jobs", () => ({ jobs: [job] })));
  const list = await screen.findByRole("list", { name: "In progress" });
  expect(within(list).getByText("looked at the base")).toBeVisible();
  api.send({ event: "job", data: JSON.stringify({ ...job, state: "succeeded", version: 2 }) });
  await waitFor(() => expect(screen.queryByRole("list", { name: "In progress" })).toBeNull());
});
