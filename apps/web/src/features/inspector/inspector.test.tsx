import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import type { Iteration, TranscriptItem } from "@/api/types";
import { FakeApi, Refusal } from "@/testing/fake-api";
import { aSession, anIteration } from "@/testing/fixtures";
import { askAgain, renderUi } from "@/testing/render";

import { Inspector } from "./components/inspector";
import type { InspectorSearch } from "./model";

const session = aSession();

const ITEMS: TranscriptItem[] = [
  { position: 1, iteration: 1, at: "2026-05-04T10:00:01Z", event: { kind: "tool_call", id: "a", name: "Bash", input: { cmd: "npm test" } } },
  { position: 2, iteration: 1, at: "2026-05-04T10:00:04Z", event: { kind: "tool_result", id: "a", content: "1 failing", is_error: true } },
  { position: 3, iteration: 1, at: "2026-05-04T10:00:05Z", event: { kind: "tool_call", id: "b", name: "Read", input: { path: "a.js" } } },
];

function serving(iterations: Iteration[]): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/sessions/{session}/iterations", () => ({ seq: 1, session_id: session.id, iterations }))
    .on("get", "/api/v1/sessions/{session}/script-runs", () => ({ seq: 1, session_id: session.id, script_runs: [], total: 0 }))
    .on("get", "/api/v1/sessions/{session}/transcript", ({ query }) => ({ seq: 1, session_id: session.id, begin: 0, end: 3, items: ITEMS.filter((item) => item.position > Number(query.get("after"))) }));
}

function Page({ shown }: { shown: number[] }) {
  const [search, setSearch] = useState<InspectorSearch>({});
  return <Inspector session={session} search={search} onSearch={setSearch} onShow={(position) => shown.push(position)} />;
}

it("has nothing to show before the first iteration", async () => {
  renderUi(<Page shown={[]} />, { api: serving([]) });
  expect(await screen.findByText("Nothing to inspect yet")).toBeVisible();
});

it("stays when it cannot be read again", async () => {
  const { api, cache } = renderUi(<Page shown={[]} />, { api: serving([anIteration({ started_at: "2026-05-04T10:00:00Z" })]) });
  await screen.findByRole("row", { name: /Bash/ });
  const fail = () => {
    throw new Refusal(500, { code: "store.failed", message: "the disk is full" });
  };
  api.on("get", "/api/v1/sessions/{session}/iterations", fail).on("get", "/api/v1/sessions/{session}/transcript", fail);
  await askAgain(cache);
  expect(screen.getByRole("row", { name: /Bash/ })).toBeVisible();
  expect(screen.queryByText("the disk is full")).toBeNull();
});

it("shows spans with their times, errors and details", async () => {
  const shown: number[] = [];
  renderUi(<Page shown={shown} />, { api: serving([anIteration({ state: "running", started_at: "2026-05-04T10:00:00Z" })]) });
  const table = await screen.findByRole("table", { name: "Spans" });
  const failed = within(table).getByRole("row", { name: /Bash/ });
  expect(failed).toHaveTextContent("+1.00 s");
  expect(failed).toHaveTextContent("3 s");
  expect(failed).toHaveTextContent("1 failing");
  expect(within(table).getByRole("row", { name: /Read/ })).toHaveTextContent("running");
  await userEvent.click(within(failed).getByRole("button", { name: "Bash" }));
  const details = await screen.findByRole("region", { name: "Details" });
  expect(details).toHaveTextContent("npm test");
  await userEvent.click(within(details).getByRole("button", { name: "In the transcript" }));
  expect(shown).toEqual([1]);
});
