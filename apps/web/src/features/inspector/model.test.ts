import { expect, it } from "vitest";

import type { AgentEvent, TranscriptItem } from "@/api/types";
import { anIteration } from "@/testing/fixtures";

import { spansOf, sumsOf } from "./model";

const USAGE = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };

function items(...events: AgentEvent[]): TranscriptItem[] {
  return events.map((event, index) => ({ position: index + 1, iteration: 1, at: new Date(Date.UTC(2026, 4, 4, 10, 0, index)).toISOString(), event }));
}

it("joins a call and its result to one span", () => {
  const call: AgentEvent = { kind: "tool_call", id: "a", name: "Bash", input: { cmd: "ls" } };
  const spans = spansOf(anIteration(), items(call, { kind: "usage", usage: USAGE }, { kind: "tool_result", id: "a", content: "no such file\nmore", is_error: true }), []);
  const tool = spans.find((span) => span.type === "tool");
  expect(tool).toMatchObject({ name: "Bash", ms: 2_000, isRunning: false, error: "no such file", usage: USAGE, position: 1 });
  expect(tool?.details.map((detail) => detail.label)).toEqual(["Arguments", "Result"]);
});

it("says running of what has no result while the iteration goes on, and not known afterwards", () => {
  const call: AgentEvent = { kind: "tool_call", id: "a", name: "Bash", input: {} };
  expect(spansOf(anIteration({ state: "running" }), items(call), []).at(-1)).toMatchObject({ isRunning: true, ms: null });
  expect(spansOf(anIteration({ state: "finished" }), items(call), []).find((span) => span.type === "tool")).toMatchObject({ isRunning: false, ms: null });
});

it("sums by type", () => {
  const spans = spansOf(anIteration({ duration_ms: 5 }), items({ kind: "message", role: "agent", text: "hi" }, { kind: "unrecognized", raw: "?" }), []);
  expect(sumsOf(spans).map((sum) => [sum.type, sum.count])).toEqual([
    ["iteration", 1],
    ["message", 1],
    ["other", 1],
  ]);
});
