import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import { sessionHandler } from "@/api/queries/session-live";
import type { Session } from "@/api/types";
import { FakeApi, Refusal, sessionPage } from "@/testing/fake-api";
import { aDetail, aSession, anIteration, doneJob } from "@/testing/fixtures";
import { renderUi } from "@/testing/render";
import { currentCommands } from "@/ui/commands/registry";
import { useShortcuts } from "@/ui/commands/shortcuts";

import type { HomeSearch } from "../model";
import { Home } from "./home";

function Page({ begin = {} }: { begin?: HomeSearch }) {
  const [search, setSearch] = useState(begin);
  useShortcuts();
  return <Home search={search} onSearch={setSearch} />;
}

function fake(sessions: Session[]): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/sessions", () => sessionPage(sessions))
    .on("get", "/api/v1/worktrees", () => ({ worktrees: [], seq: 0 }))
    .on("get", "/api/v1/sessions/{session}/diff", ({ params }) => ({
      session: sessions.find((it) => it.id === params.session) ?? aSession(),
      files: [],
      insertions: 12,
      deletions: 3,
      total: 2,
      seq: 0,
    }));
}

const show = (api: FakeApi, begin?: HomeSearch) => renderUi(<Page begin={begin} />, { api, handlers: (cache) => [sessionHandler(cache)] });

it("says how to begin when there is nothing", async () => {
  show(fake([]));
  expect(await screen.findByText("No sessions yet")).toBeVisible();
});

it("says what failed, and tries again", async () => {
  const api = fake([]).on("get", "/api/v1/sessions", () => {
    throw new Refusal(500, { code: "store.broken", message: "the store cannot be read", hint: "see the log" });
  });
  show(api);
  expect(await screen.findByText("the store cannot be read")).toBeVisible();
  api.on("get", "/api/v1/sessions", () => sessionPage([aSession({ name: "back" })]));
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("back")).toBeVisible();
});

it("shows figures, and a dash for what is not known", async () => {
  const usage = { input_tokens: 1_000, output_tokens: 200, cache_read_tokens: 0, cache_write_tokens: 0 };
  show(fake([aSession({ name: "one", last_iteration: anIteration({ usage, cost: null, duration_ms: 61_000 }) })]));
  const row = await screen.findByRole("row", { name: /one/ });
  expect(within(row).getByText("1.2K")).toBeVisible();
  expect(within(row).getByText("1 m 01 s")).toBeVisible();
  expect(await within(row).findByText("+12")).toBeVisible();
  expect(within(row).getAllByText("–").length).toBeGreaterThan(0);
});

it("follows what happens without asking for the list again", async () => {
  const session = aSession({ id: "aaaaaa", name: "one", status: "queued" });
  const api = fake([session]).on("get", "/api/v1/sessions/{session}", () => aDetail({ ...session, status: "running" }, { seq: 9 }));
  show(api);
  expect(await screen.findByRole("row", { name: /one/ })).toHaveTextContent("Queued");
  act(() => api.tell({ type: "session_status_changed", from: "queued", to: "running" }, "aaaaaa"));
  await waitFor(() => expect(screen.getByRole("row", { name: /one/ })).toHaveTextContent("Running"));
  await waitFor(() => expect(api.requests("GET /api/v1/sessions/aaaaaa")).toHaveLength(1));
  expect(api.requests("GET /api/v1/sessions")).toHaveLength(1);
});

it("shows a session that was made elsewhere, and drops one that was forgotten", async () => {
  const made = aSession({ id: "bbbbbb", name: "made-elsewhere" });
  const api = fake([aSession({ id: "aaaaaa", name: "one" })]).on("get", "/api/v1/sessions/{session}", () => aDetail(made, { seq: 9 }));
  show(api);
  await screen.findByText("one");
  act(() => api.tell({ type: "session_created", name: "made-elsewhere" }, "bbbbbb"));
  expect(await screen.findByText("made-elsewhere")).toBeVisible();
  act(() => api.tell({ type: "session_forgotten", name: "one" }, "aaaaaa"));
  await waitFor(() => expect(screen.queryByText("one")).toBeNull());
});

it("is used with the keyboard alone", async () => {
  const api = fake([aSession({ id: "aaaaaa", name: "one" }), aSession({ id: "bbbbbb", name: "two" })]);
  const { path } = show(api);
  await screen.findByText("one");
  await userEvent.keyboard("jjx");
  expect(screen.getByRole("checkbox", { name: "Select two" })).toBeChecked();
  expect(screen.getByText("1 session selected")).toBeVisible();
  await userEvent.keyboard("k{Enter}");
  expect(path()).toBe("/sessions/aaaaaa");
});

it("leaves Enter to the link or button that has the focus", async () => {
  const api = fake([aSession({ id: "aaaaaa", name: "one" }), aSession({ id: "bbbbbb", name: "two" })]);
  const { path } = show(api);
  await screen.findByText("one");
  await userEvent.keyboard("j");
  act(() => screen.getByRole("link", { name: "two" }).focus());
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(path()).toBe("/sessions/bbbbbb"));
});

it("has only the keys that do something in the view", async () => {
  const keys = () => currentCommands().flatMap((command) => (command.id.startsWith("list.") ? [command.keys] : []));
  const board = show(fake([aSession({ name: "one" })]), { view: "board" });
  await screen.findByText("one");
  expect(keys()).toEqual(["j", "k", "l", "h", "enter"]);
  board.unmount();
  show(fake([aSession({ name: "one" })]));
  await screen.findByText("one");
  expect(keys()).toEqual(["j", "k", "enter", "x", "mod+a", "escape"]);
});

it("stops those of the selected that work", async () => {
  const running = aSession({ id: "aaaaaa", name: "one", status: "running" });
  const api = fake([running, aSession({ id: "bbbbbb", name: "two" })]);
  api.on("post", "/api/v1/sessions/{session}/stop", () => ({ session: running, seq: 1 }));
  show(api, { selected: "aaaaaa.bbbbbb" });
  await userEvent.click(await screen.findByRole("button", { name: "Stop 1" }));
  expect(await screen.findByText(/1 session asked to stop/)).toBeVisible();
  expect(api.requests("POST /api/v1/sessions/aaaaaa/stop")).toHaveLength(1);
  expect(api.requests("POST /api/v1/sessions/bbbbbb/stop")).toHaveLength(0);
});

it("shows what landed, also when the filter leaves it out by then", async () => {
  const session = aSession({ id: "aaaaaa", name: "one" });
  const api = fake([session]).on("get", "/api/v1/sessions/{session}", () => aDetail({ ...session, status: "completed" }, { seq: 9 }));
  api.on("post", "/api/v1/land", () => {
    api.tell({ type: "session_status_changed", from: "idle", to: "completed" }, "aaaaaa");
    return doneJob("land_sessions", { complete: true, seq: 1, sessions: [{ session_id: "aaaaaa", session_name: "one", state: "landed" }] });
  });
  show(api, { status: ["idle"], selected: "aaaaaa" });
  await userEvent.click(await screen.findByRole("button", { name: "Land 1" }));
  await userEvent.click(await screen.findByRole("button", { name: "Land them" }));
  expect(await screen.findByText("No session fits")).toBeInTheDocument();
  const dialog = screen.getByRole("dialog", { name: "Land 1 session" });
  expect(within(dialog).getByText("Landed")).toBeVisible();
});

it("shows how far a clean-up is", async () => {
  const api = fake([aSession({ id: "aaaaaa", name: "one" }), aSession({ id: "bbbbbb", name: "two" })]);
  let finish: () => void = () => undefined;
  api.on("post", "/api/v1/sessions/{session}/cleanup", async ({ params }) => {
    if (params.session === "bbbbbb") await new Promise<void>((resolve) => (finish = resolve));
    return doneJob("cleanup_session", {});
  });
  show(api, { selected: "aaaaaa.bbbbbb" });
  await userEvent.click(await screen.findByRole("button", { name: "Clean up 2" }));
  await userEvent.click(await screen.findByRole("button", { name: "Clean up" }));
  await waitFor(() => expect(screen.getByRole("progressbar", { name: "Cleaned up so far" })).toHaveAttribute("aria-valuenow", "50"));
  finish();
  expect(await screen.findByText("2 worktrees moved into the trash")).toBeVisible();
});

it("offers to resume what was interrupted", async () => {
  const cut = aSession({ id: "aaaaaa", name: "one", status: "interrupted" });
  const api = fake([cut]).on("post", "/api/v1/sessions/{session}/resume", () => ({ session: cut, iteration: anIteration(), seq: 1 }));
  show(api);
  expect(await screen.findByText(/1 session was interrupted: one/)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Resume" }));
  await waitFor(() => expect(api.requests("POST /api/v1/sessions/aaaaaa/resume")).toHaveLength(1));
});

it("shows a thousand sessions without a thousand rows", async () => {
  const many = Array.from({ length: 1_000 }, (_, index) => aSession({ id: `s${index}`, name: `session-${index}` }));
  show(fake(many));
  await screen.findByText("session-0");
  expect(screen.getAllByRole("row").length).toBeLessThan(80);
  expect(screen.getByRole("table")).toHaveAttribute("aria-rowcount", "1001");
});

it("shows the board by status", async () => {
  show(fake([aSession({ name: "one", status: "awaiting_input" }), aSession({ id: "bbbbbb", name: "two", status: "running" })]), { view: "board" });
  const column = await screen.findByRole("region", { name: "Needs you" });
  expect(within(column).getByText("one")).toBeVisible();
  expect(within(screen.getByRole("region", { name: "Working" })).getByText("two")).toBeVisible();
});
