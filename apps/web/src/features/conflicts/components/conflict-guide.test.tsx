import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import type { Wire } from "@/api/types";
import { FakeApi, Refusal } from "@/testing/fake-api";
import { aSession, anIteration, doneJob } from "@/testing/fixtures";
import { askAgain, renderUi } from "@/testing/render";

import type { Conflict, ConflictSearch } from "../model";
import { ConflictGuide } from "./conflict-guide";

const stage = { mode: "file" as const, object: "e57fd5b4e8e07e39a62591e0851986e97116111c" };

function conflict(said: Partial<Omit<Conflict, "class">> & { path: string }): Conflict {
  return { kind: "both_modified", content: "text", class: "ordinary", install_command: null, base: stage, ours: stage, theirs: stage, ...said };
}

const side = (text: string): Wire["SideContent"] => ({ bytes: text.length, text, base64: null, too_large: false });

const MARKED = "<<<<<<< main\nours\n=======\ntheirs\n>>>>>>> session\n";

function serving(list: Partial<Wire["ConflictList"]> = {}, sides: Partial<Wire["ConflictSides"]> = {}): FakeApi {
  const session = aSession({ status: "conflicted" });
  const whole: Wire["ConflictList"] = {
    seq: 1,
    session,
    in_progress: true,
    onto: "main",
    onto_commit: "f9910ae39038f97f1769f03db10779b8d560bf5b",
    commit: { id: "256ec165713f1f9b4d689e82f82a915f42776dd8", subject: "Session work" },
    commits_after: 1,
    conflicts: [],
    migrations: [],
    case_clashes: [],
    ...list,
  };
  return new FakeApi()
    .on("get", "/api/v1/sessions/{session}", () => ({ isolation: "guard", seq: 1, session: whole.session, ports: [], databases: [], artifacts: [] }) as unknown as Wire["SessionDetail"])
    .on("get", "/api/v1/sessions/{session}/conflicts", () => whole)
    .on("get", "/api/v1/sessions/{session}/operations", () => ({ seq: 1, session, operations: [], next_undo: null, next_redo: null }))
    .on("get", "/api/v1/sessions/{session}/conflicts/sides", ({ query }) => ({
      seq: 1,
      session,
      in_progress: whole.in_progress,
      onto: "main",
      commit: whole.commit,
      conflict: whole.conflicts.find((it) => it.path === query.get("path")) ?? conflict({ path: query.get("path") ?? "" }),
      base: side("base\n"),
      ours: side("ours\n"),
      theirs: side("theirs\n"),
      worktree: side(MARKED),
      ...sides,
    }));
}

function Guide() {
  const [search, setSearch] = useState<ConflictSearch>({});
  return <ConflictGuide session="7py67r" search={search} onSearch={setSearch} />;
}

it("says that nothing conflicts", async () => {
  renderUi(<Guide />, { api: serving({ in_progress: false, commit: null, session: aSession() }) });
  expect(await screen.findByText("Nothing conflicts")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Rebase onto main" })).toBeEnabled();
});

it("says why conflicts cannot be shown", async () => {
  const api = serving().on("get", "/api/v1/sessions/{session}/conflicts", () => {
    throw new Refusal(409, { code: "git.failed", message: "git failed", hint: null });
  });
  renderUi(<Guide />, { api });
  expect(await screen.findByText("git failed")).toBeInTheDocument();
});

it.each<[Conflict["kind"], RegExp]>([
  ["both_modified", /changed the same lines/],
  ["both_added", /each added a file/],
  ["both_deleted", /Neither side has it/],
  ["deleted_by_us", /main deleted it, the session changed it/],
  ["deleted_by_them", /The session deleted it, main changed it/],
  ["added_by_us", /main has it at this place/],
  ["added_by_them", /The session has it at this place/],
  ["file_directory", /the other one a folder/],
  ["distinct_types", /different types/],
])("says what %s means", async (kind, says) => {
  renderUi(<Guide />, { api: serving({ conflicts: [conflict({ path: "a.txt", kind })] }) });
  expect(await screen.findByText(says)).toBeInTheDocument();
});

it("shows figures of what has no lines", async () => {
  const binary = { bytes: 3_000, text: null, base64: "AA==", too_large: false };
  const api = serving({ conflicts: [conflict({ path: "logo.bin", content: "binary" })] }, { base: binary, ours: binary, theirs: binary, worktree: binary });
  renderUi(<Guide />, { api });
  expect((await screen.findAllByText(/3\.0 kB/)).length).toBe(3);
  expect(screen.queryByRole("textbox", { name: /Result/ })).not.toBeInTheDocument();
});

it("offers to delete where a side has no file", async () => {
  const api = serving({ conflicts: [conflict({ path: "a.txt", kind: "deleted_by_them", theirs: null })] }, { theirs: null });
  renderUi(<Guide />, { api });
  expect(await screen.findByRole("button", { name: "Delete it, as the session" })).toBeEnabled();
});

it("puts a result together, and takes it only without markers", async () => {
  const api = serving({ conflicts: [conflict({ path: "a.txt" })] }).on("post", "/api/v1/sessions/{session}/conflicts/resolve", () => ({
    seq: 2,
    session: aSession({ status: "conflicted" }),
    path: "a.txt",
    command: null,
    left: [],
  }));
  renderUi(<Guide />, { api });
  const field = await screen.findByRole("textbox", { name: "Result for a.txt" });
  expect(screen.getByRole("button", { name: "Take this result" })).toBeDisabled();
  await userEvent.click(screen.getByRole("button", { name: "Both" }));
  expect(field).toHaveValue("ours\ntheirs\n");
  await userEvent.click(screen.getByRole("button", { name: "Take this result" }));
  expect(await screen.findByText(/a\.txt is decided, nothing is left/)).toBeInTheDocument();
  expect(api.requests("POST /api/v1/sessions/7py67r/conflicts/resolve")[0]?.body).toEqual({ path: "a.txt", with: "edited", content: "ours\ntheirs\n" });
});

it("lets the command that makes a lockfile be allowed where it is refused", async () => {
  const lockfile: Conflict = { ...conflict({ path: "package-lock.json" }), class: "lockfile", manager: "npm", install_command: "npm install" };
  const resolved = { seq: 2, session: aSession({ status: "conflicted" }), path: "package-lock.json", command: "npm install", left: [] };
  const api = serving({ conflicts: [lockfile] }).on("post", "/api/v1/sessions/{session}/conflicts/regenerate", ({ body }) => {
    if ((body as { allow_commands?: boolean }).allow_commands !== true) throw new Refusal(409, { code: "command.not_allowed", message: "`npm install` is not allowed" });
    return doneJob("regenerate_lockfile", resolved);
  });
  renderUi(<Guide />, { api });
  await userEvent.click(await screen.findByRole("button", { name: "Make it again" }));
  expect(await screen.findByText("`npm install` is not allowed")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Allow and run" }));
  expect(await screen.findByText(/package-lock\.json is decided/)).toBeInTheDocument();
});

it("keeps a result that is being written when conflicts cannot be read again", async () => {
  const { api, cache } = renderUi(<Guide />, { api: serving({ conflicts: [conflict({ path: "a.txt" })] }) });
  await userEvent.type(await screen.findByRole("textbox", { name: "Result for a.txt" }), "mine");
  const fail = () => {
    throw new Refusal(500, { code: "git.failed", message: "git failed" });
  };
  api.on("get", "/api/v1/sessions/{session}/conflicts", fail).on("get", "/api/v1/sessions/{session}/conflicts/sides", fail);
  await askAgain(cache);
  expect(screen.getByDisplayValue(/mine/)).toBeVisible();
  expect(screen.queryByText("git failed")).toBeNull();
});

it("continues only when everything is decided", async () => {
  const { unmount } = renderUi(<Guide />, { api: serving({ conflicts: [conflict({ path: "a.txt" })] }) });
  expect(await screen.findByRole("button", { name: "Continue" })).toBeDisabled();
  unmount();
  renderUi(<Guide />, { api: serving() });
  expect(await screen.findByText("All files are decided")).toBeInTheDocument();
  for (const button of screen.getAllByRole("button", { name: "Continue" })) expect(button).toBeEnabled();
});

it("asks the agent with a note", async () => {
  const api = serving({ conflicts: [conflict({ path: "a.txt" })] }).on("post", "/api/v1/sessions/{session}/iterations", () => ({
    seq: 2,
    session: aSession({ status: "running" }),
    iteration: anIteration({ number: 2, state: "running" }),
  }));
  renderUi(<Guide />, { api });
  await userEvent.click(await screen.findByRole("button", { name: "Ask the agent" }));
  await userEvent.type(await screen.findByRole("textbox", { name: "What the agent should know" }), "Keep both");
  await userEvent.click(screen.getByRole("button", { name: "Ask" }));
  await waitFor(() => expect(api.requests("POST /api/v1/sessions/7py67r/iterations")[0]?.body).toEqual({ text: "Keep both" }));
});

it("asks before it gives up, and says what is kept", async () => {
  renderUi(<Guide />, { api: serving({ conflicts: [conflict({ path: "a.txt" })] }) });
  await userEvent.click(await screen.findByRole("button", { name: "Give up…" }));
  expect(await screen.findByText("All commits of the session, as before the rebase.")).toBeInTheDocument();
});

it("shows what a rebase would stop at without offering decisions", async () => {
  renderUi(<Guide />, { api: serving({ in_progress: false, session: aSession(), conflicts: [conflict({ path: "a.txt" })] }, { worktree: null }) });
  expect(await screen.findByText(/would stop at/)).toBeInTheDocument();
  expect(await screen.findByRole("region", { name: "Three versions" })).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Take main's" })).not.toBeInTheDocument();
});
