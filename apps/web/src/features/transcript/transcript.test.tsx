import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import { sessionHandler } from "@/api/queries/session-live";
import { transcriptHandler } from "@/api/queries/transcript";
import type { AgentEvent, Session, TranscriptItem } from "@/api/types";
import { FakeApi, Refusal } from "@/testing/fake-api";
import { aSession, anIteration } from "@/testing/fixtures";
import { askAgain, renderUi } from "@/testing/render";

import { Transcript } from "./components/transcript";
import type { TranscriptSearch } from "./model";

/** A server with a transcript of any length; what is said at a position is made when it is asked for. */
function serving(end: () => number, eventAt: (position: number) => AgentEvent): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/sessions/{session}/transcript", ({ query }) => {
      const after = Number(query.get("after"));
      const last = Math.min(end(), after + Number(query.get("limit")));
      const items: TranscriptItem[] = [];
      for (let position = after + 1; position <= last; position += 1) items.push({ position, iteration: 1, at: "2026-05-04T10:00:00Z", event: eventAt(position) });
      return { session_id: "7py67r", begin: 0, end: end(), items, seq: 1 };
    })
    .on("get", "/api/v1/slash-commands", () => ({
      seq: 1,
      damaged: [],
      commands: [
        { name: "test", origin: "built_in", is_used: true, usage: "/test [script]", description: "run a script", parameters: [] },
        { name: "review", origin: "user", is_used: true, usage: "/review <file>", description: "look at a file", parameters: [] },
      ],
    }));
}

function Page({ session, start = {}, onCommand }: { session: Session; start?: TranscriptSearch; onCommand?: (name: string) => boolean }) {
  const [search, setSearch] = useState<TranscriptSearch>(start);
  return (
    <div style={{ height: 800 }}>
      <output aria-label="Address">{JSON.stringify(search)}</output>
      <Transcript session={session} search={search} onSearch={setSearch} onCommand={onCommand ?? (() => false)} onStop={() => undefined} />
    </div>
  );
}

const said = (position: number): AgentEvent => ({ kind: "message", role: "agent", text: `Line ${position}` });

function show(session: Session, api: FakeApi, start?: TranscriptSearch, onCommand?: (name: string) => boolean) {
  return renderUi(<Page session={session} start={start} onCommand={onCommand} />, { api, handlers: (cache) => [sessionHandler(cache), transcriptHandler] });
}

it("is empty before the first iteration", async () => {
  show(aSession(), serving(() => 0, said));
  expect(await screen.findByText("No iteration yet")).toBeVisible();
  expect(screen.getByRole("button", { name: "Run" })).toBeEnabled();
});

it("says why it cannot be read", async () => {
  const api = new FakeApi().on("get", "/api/v1/sessions/{session}/transcript", () => {
    throw new Refusal(500, { code: "store.failed", message: "the disk is full" });
  });
  show(aSession(), api);
  expect(await screen.findByText("the disk is full")).toBeVisible();
});

it("stays when it cannot be read again", async () => {
  const { api, cache } = show(aSession(), serving(() => 3, said));
  await screen.findByText("Line 3");
  api.on("get", "/api/v1/sessions/{session}/transcript", () => {
    throw new Refusal(500, { code: "store.failed", message: "the disk is full" });
  });
  await askAgain(cache);
  expect(screen.getByText("Line 3")).toBeInTheDocument();
  expect(screen.queryByText("the disk is full")).toBeNull();
});

it("shows everything that an agent says and does", async () => {
  const events: AgentEvent[] = [
    { kind: "started", model: "large", tools: ["Read"] },
    { kind: "thinking", text: "Let me think" },
    { kind: "message", role: "user", text: "Fix it" },
    { kind: "tool_call", id: "1", name: "Bash", input: { cmd: "npm test" } },
    { kind: "tool_result", id: "1", content: "1 failing\nmore", is_error: true },
    { kind: "edit", id: "2", path: "/home/me/project/.worktrees/7py67r/src/a.js", old: "one\n", new: "two\n" },
    { kind: "unrecognized", raw: "no json at all" },
    { kind: "failed", cause: "crashed", message: "it crashed" },
  ];
  show(aSession(), serving(() => events.length, (position) => events[position - 1]!));
  expect(await screen.findByText("Iteration 1")).toBeVisible();
  expect(screen.getByText("Fix it")).toBeVisible();
  expect(screen.getByText("npm test")).toBeVisible();
  expect(screen.getByText("src/a.js")).toBeVisible();
  expect(screen.getByText("no json at all")).toBeVisible();
  expect(screen.getByText("it crashed")).toBeVisible();
  const result = screen.getByRole("button", { name: /Failed/ });
  expect(result).toHaveAttribute("aria-expanded", "false");
  await userEvent.click(result);
  expect(result.parentElement).toHaveTextContent("more");
});

it("reaches line 40,000 of a million by the address, and reads only what is around it", async () => {
  const api = serving(() => 1_000_000, said);
  show(aSession(), api, { at: 40_000 });
  const row = await screen.findByRole("article", { name: "Item 40000" });
  expect(row).toHaveTextContent("Line 40000");
  expect(row).toHaveAttribute("aria-current", "true");
  expect(api.asked.filter((asked) => asked.path.endsWith("/transcript")).length).toBeLessThan(12);
});

it("begins at the last line of a million", async () => {
  show(aSession(), serving(() => 1_000_000, said));
  expect(await screen.findByText("Line 1000000")).toBeInTheDocument();
});

it("goes to an item by its number", async () => {
  show(aSession(), serving(() => 50_000, said));
  await userEvent.type(await screen.findByRole("textbox", { name: "Go to an item" }), "123{Enter}");
  expect(await screen.findByRole("article", { name: "Item 123" })).toHaveAttribute("aria-current", "true");
});

it("searches on until there is a hit, and goes there", async () => {
  const api = serving(() => 100_000, said).on("get", "/api/v1/sessions/{session}/transcript/search", ({ query }) =>
    query.get("after") === "0"
      ? { session_id: "7py67r", hits: [], next: 50_000 }
      : { session_id: "7py67r", hits: [{ position: 99_999, iteration: 1, at: "2026-05-04T10:00:00Z", snippet: "Line 99999", begin: 5, length: 5 }], next: null },
  );
  show(aSession(), api);
  const field = await screen.findByRole("textbox", { name: "Search the transcript" });
  await userEvent.type(field, "99999{Enter}");
  expect(await screen.findByRole("button", { name: "1 found" })).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Next hit" }));
  expect(await screen.findByRole("article", { name: "Item 99999" })).toHaveAttribute("aria-current", "true");
  expect(screen.getByLabelText("Address")).toHaveTextContent('{"at":99999,"text":"99999"}');
});

it("follows what is added while it is at the end", async () => {
  let end = 3;
  const { api } = show(aSession({ status: "running" }), serving(() => end, said));
  await screen.findByText("Line 3");
  end = 5;
  api.tell({ type: "transcript_appended", iteration: 1, from: 4, to: 5 }, "7py67r");
  expect(await screen.findByText("Line 5")).toBeInTheDocument();
  const again = api.asked.filter((asked) => asked.path.endsWith("/transcript") && asked.query.get("after") === "3");
  expect(again.length).toBeGreaterThan(0);
});

it("answers the agent's question", async () => {
  const session = aSession({ status: "awaiting_input", last_iteration: anIteration({ outcome: "awaiting_input", summary: "Which file?" }) });
  const api = serving(() => 1, said).on("post", "/api/v1/sessions/{session}/answer", () => ({ session, iteration: anIteration(), seq: 2 }));
  show(session, api);
  expect(await screen.findByText("Which file?")).toBeVisible();
  await userEvent.type(screen.getByRole("textbox", { name: "Your answer" }), "The first{Control>}{Enter}{/Control}");
  await waitFor(() => expect(api.requests("POST /api/v1/sessions/7py67r/answer")[0]?.body).toEqual({ text: "The first" }));
});

it("decides what the agent may do", async () => {
  const question = { number: 2, iteration: 1, tool: "Bash", kind: "execute" as const, what: "run `rm -r build`", input: { cmd: "rm -r build" }, asked_at: "2026-05-04T10:00:00Z" };
  const session = aSession({ status: "awaiting_input", questions: [question] });
  const api = serving(() => 1, said).on("post", "/api/v1/sessions/{session}/permissions", () => ({ session: aSession({ status: "running" }), seq: 3 }));
  show(session, api);
  const panel = await screen.findByRole("region", { name: "Permissions" });
  expect(within(panel).getByText("The agent wants to run `rm -r build`")).toBeVisible();
  await userEvent.type(within(panel).getByRole("textbox", { name: "Reason for a refusal" }), "use trash");
  await userEvent.click(within(panel).getByRole("button", { name: "Reject" }));
  await waitFor(() =>
    expect(api.requests("POST /api/v1/sessions/7py67r/permissions")[0]?.body).toEqual({ decision: "reject", question: 2, always: false, reason: "use trash" }),
  );
});

it("says the place in the queue", async () => {
  const row = (id: string) => ({ kind: "iteration" as const, session_id: id, session_name: id, session_status: "queued" as const, iteration: anIteration({ state: "queued" }) });
  const api = serving(() => 0, said).on("get", "/api/v1/queue", () => ({ seq: 1, queue: [row("aaaaaa"), row("7py67r"), row("bbbbbb")] }));
  show(aSession({ status: "queued", last_iteration: anIteration({ state: "queued" }) }), api);
  expect(await screen.findByText("Place 2 of 3 in the queue")).toBeVisible();
});

it("completes slash commands; the page does those that are built in", async () => {
  const done: string[] = [];
  const api = serving(() => 0, said).on("post", "/api/v1/sessions/{session}/iterations", () => ({ session: aSession({ status: "queued" }), iteration: anIteration(), seq: 2 }));
  show(aSession(), api, {}, (name) => done.push(name) > 0);
  const box = await screen.findByRole("textbox", { name: "Follow-up" });
  await userEvent.type(box, "/re");
  expect(await screen.findByRole("option", { name: /review/ })).toBeVisible();
  await userEvent.keyboard("{Tab}");
  expect(box).toHaveValue("/review ");
  await userEvent.type(box, "a.rs{Control>}{Enter}{/Control}");
  await waitFor(() => expect(api.requests("POST /api/v1/sessions/7py67r/iterations")[0]?.body).toMatchObject({ text: "/review a.rs" }));
  await waitFor(() => expect(box).toHaveValue(""));
  await userEvent.type(box, "/test {Control>}{Enter}{/Control}");
  expect(done).toEqual(["test"]);
});
