import { describe, expect, it } from "vitest";

import { aSession, anIteration } from "@/testing/fixtures";

import { chooseSessions, evidenceOf, findTrouble, readHomeSearch, totalsOf } from "./model";

const names = (sessions: { name: string }[]) => sessions.map((session) => session.name);

describe("the list", () => {
  const sessions = [
    aSession({ id: "a", name: "landed", status: "completed", created_at: "2026-05-04T10:00:05Z" }),
    aSession({ id: "b", name: "resting", status: "idle", agent: "codex", created_at: "2026-05-04T10:00:04Z" }),
    aSession({ id: "c", name: "working", status: "running", repo_root: "/home/me/other", created_at: "2026-05-04T10:00:03Z" }),
    aSession({ id: "d", name: "asking", status: "awaiting_input", needs_me: true, created_at: "2026-05-04T10:00:02Z" }),
  ];

  it("has what needs the user first, then what works, landed work last", () => {
    expect(names(chooseSessions(sessions, {}))).toEqual(["asking", "working", "resting", "landed"]);
  });

  it("filters by everything that the address can say", () => {
    expect(names(chooseSessions(sessions, { status: ["running", "idle"] }))).toEqual(["working", "resting"]);
    expect(names(chooseSessions(sessions, { repo: "/home/me/other" }))).toEqual(["working"]);
    expect(names(chooseSessions(sessions, { agent: "codex" }))).toEqual(["resting"]);
    expect(names(chooseSessions(sessions, { text: "LOGIN ask" }))).toEqual(["asking"]);
    expect(names(chooseSessions(sessions, { needs: true }))).toEqual(["asking"]);
  });

  it("turns an order round", () => {
    expect(names(chooseSessions(sessions, { sort: "name", reverse: true }))).toEqual(["working", "resting", "landed", "asking"]);
  });

  it("is quick with ten thousand", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => aSession({ id: `s${index}`, prompt: "x".repeat(500) }));
    const start = performance.now();
    chooseSessions(many, { text: "nothing like it" });
    expect(performance.now() - start).toBeLessThan(500);
  });
});

it("reads an address and leaves out what makes no sense", () => {
  expect(readHomeSearch({ status: ["running", "asleep"], sort: "colour", view: "board", text: 42, needs: "yes" })).toEqual({
    view: "board",
    status: ["running"],
    text: "42",
  });
});

it("adds up what is known and says nothing of the rest", () => {
  const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };
  const first = anIteration({ number: 1, usage, cost: { micro_usd: 5, source: "reported" }, duration_ms: 10 });
  const stale = anIteration({ number: 2 });
  const last = anIteration({ number: 2, usage, cost: { micro_usd: 7, source: "estimated" } });
  const totals = totalsOf(aSession({ last_iteration: last }), [first, stale]);
  expect(totals).toEqual({
    usage: { input_tokens: 2, output_tokens: 4, cache_read_tokens: 6, cache_write_tokens: 8 },
    cost: { micro_usd: 12, source: "estimated" },
    durationMs: 10,
  });
  expect(totalsOf(aSession(), [])).toEqual({ usage: null, cost: null, durationMs: null });
});

it("finds what went wrong, and leaves the user's own worktrees alone", () => {
  const interrupted = aSession({ id: "a", status: "interrupted" });
  const gone = aSession({ id: "b", status: "error" });
  const trouble = findTrouble(
    [interrupted, gone],
    [
      { path: "/home/me/project" },
      { path: "/home/me/project/.worktrees/b", session_id: "b", prunable: "gitdir file points to non-existent location" },
      { path: "/home/me/project/.worktrees/zzz", branch: "amp/zzz/1" },
      { path: "/elsewhere/mine", branch: "mine" },
    ],
  );
  expect(trouble.interrupted).toEqual([interrupted]);
  expect(trouble.missing).toEqual([gone]);
  expect(trouble.orphaned.map((it) => it.path)).toEqual(["/home/me/project/.worktrees/zzz"]);
});

it("does not take the repository's own checkout for a lost worktree", () => {
  const session = aSession({ worktree_path: "/home/me/project-login" });
  expect(findTrouble([session], [{ path: "/home/me/project" }, { path: "/home/me/project-lost" }]).orphaned.map((it) => it.path)).toEqual(["/home/me/project-lost"]);
});

it("shows why a session has its status", () => {
  expect(evidenceOf(aSession({ status: "error", last_iteration: anIteration({ message: "no credit left" }) }))).toBe("no credit left");
  expect(evidenceOf(aSession({ status: "idle" }))).toBeNull();
});
