import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import type { ScriptRun } from "@/api/types";
import { FakeApi, Refusal } from "@/testing/fake-api";
import { aSession } from "@/testing/fixtures";
import { renderUi } from "@/testing/render";

import { Scripts } from "./components/scripts";
import { scriptHandler } from "./live";

const session = aSession();

function aRun(said: Partial<ScriptRun> = {}): ScriptRun {
  return { id: 1, session_id: session.id, script: "test", command: "npm test", log: "/tmp/1.log", started_at: "2026-05-04T10:00:00Z", finished_at: "2026-05-04T10:00:02Z", state: "passed", exit_code: 0, ...said };
}

function serving(runs: ScriptRun[]): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/commands", () => ({ seq: 1, commands: [{ setting: "scripts.test", command: "npm test", permission: "own" }] }))
    .on("get", "/api/v1/sessions/{session}/servers", () => ({ seq: 1, session_id: session.id, servers: [{ name: "dev" }] }))
    .on("get", "/api/v1/sessions/{session}/script-runs", () => ({ seq: 1, session_id: session.id, script_runs: runs, total: runs.length, next: null }));
}

function Page() {
  const [run, setRun] = useState<number>();
  return <Scripts session={session} run={run} onRun={setRun} />;
}

const show = (api: FakeApi) => renderUi(<Page />, { api, handlers: () => [scriptHandler] });

it("says how to get a first run", async () => {
  show(serving([]));
  expect(await screen.findByText("Nothing ran yet")).toBeVisible();
  expect(screen.getByRole("button", { name: "Run test" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Start dev" })).toBeVisible();
});

it("says why scripts cannot be listed", async () => {
  const api = serving([]).on("get", "/api/v1/commands", () => {
    throw new Refusal(400, { code: "config.invalid", message: "the settings cannot be read" });
  });
  show(api);
  expect(await screen.findByText("the settings cannot be read")).toBeVisible();
});

it("shows output in its colours, follows it and finds text in it", async () => {
  const parts = ["\u001b[32mok\u001b[0m 1 - adds\n", "not ok 2 - checks\n"];
  let given = 0;
  const running = aRun({ state: "running", finished_at: null, exit_code: null });
  const api = serving([running]).on("get", "/api/v1/sessions/{session}/script-runs/{run}/output", ({ query }) => {
    const offset = Number(query.get("offset") ?? 0);
    const text = offset < given ? "" : (parts.shift() ?? "");
    given = offset + text.length;
    const isEnd = parts.length === 0 && text === "";
    return { script_run: isEnd ? aRun({ state: "failed", exit_code: 1 }) : running, offset, next: given, total: given, is_end: isEnd, text };
  });
  show(api);
  expect(await screen.findByText("ok")).toHaveStyle({ color: "var(--ansi-green)" });
  expect(await screen.findByText("not ok 2 - checks")).toBeVisible();
  expect(await screen.findByText("exit code 1")).toBeVisible();
  await userEvent.type(screen.getByRole("textbox", { name: "Search the output" }), "CHECKS");
  expect(await screen.findByText("1/1")).toBeVisible();
});

it("says that the beginning is not shown and reads it on demand", async () => {
  const api = serving([aRun()]).on("get", "/api/v1/sessions/{session}/script-runs/{run}/output", ({ query }) =>
    query.get("last") === "true"
      ? { script_run: aRun(), offset: 7, next: 13, total: 13, is_end: true, text: "t two\n" }
      : { script_run: aRun(), offset: 0, next: 11, total: 13, is_end: false, text: "one\npart tw" },
  );
  show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Show earlier output" }));
  expect(await screen.findByText("part two")).toBeVisible();
  expect(screen.getByText("one")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Show earlier output" })).toBeNull();
});

it("starts a script after its command was allowed", async () => {
  const api = serving([])
    .on("post", "/api/v1/sessions/{session}/script-runs", ({ body }) => {
      if ((body as { allow_commands: boolean }).allow_commands) return { session, seq: 2, script_run: aRun({ id: 5 }) };
      throw new Refusal(409, { code: "command.not_allowed", message: "`npm test` is not allowed" });
    })
    .on("get", "/api/v1/sessions/{session}/script-runs/{run}/output", () => ({ script_run: aRun({ id: 5 }), offset: 0, next: 0, total: 0, is_end: true, text: "" }));
  show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Run test" }));
  expect(await screen.findByText("`npm test` is not allowed")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Allow and run" }));
  expect(await screen.findByText("It printed nothing.")).toBeVisible();
});

it("starts a server and leads to it", async () => {
  const dev = aRun({ id: 3, script: "dev", state: "running", finished_at: null, server: { state: "ready", url: "http://x.localhost:4100/", port: 4100 } });
  const api = serving([]).on("post", "/api/v1/sessions/{session}/servers/{server}/start", () => {
    api.on("get", "/api/v1/sessions/{session}/servers", () => ({ seq: 3, session_id: session.id, servers: [{ name: "dev", script_run: dev }] }));
    api.tell({ type: "script_started", run: 3, script: "dev" }, session.id);
    return { session, seq: 2, notes: [], was_running: false, script_run: dev };
  });
  api.on("get", "/api/v1/sessions/{session}/script-runs/{run}/output", ({ query }) => {
    const offset = Number(query.get("offset") ?? 0);
    return { script_run: dev, offset, next: 6, total: 6, is_end: false, text: offset === 0 ? "ready\n" : "" };
  });
  show(api);
  await userEvent.click(await screen.findByRole("button", { name: "Start dev" }));
  await userEvent.click(await screen.findByRole("button", { name: "Open http://x.localhost:4100/" }));
  expect(api.opened).toEqual(["http://x.localhost:4100/"]);
  await waitFor(() => expect(within(screen.getByRole("log")).getByText("ready")).toBeVisible());
});
