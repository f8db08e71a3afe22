import { expect, it } from "vitest";

import { STATUS_ORDER } from "@/ui/session-status";
import { aDetail, aSession, anIteration } from "@/testing/fixtures";

import { ACTIONS, type ActionId } from "./actions";
import { sessionCommands } from "./commands";
import { FIELDS } from "./fields";
import { distanceText, editorUrl, evidenceOf, shellCommand, subjectOf, timelineOf } from "./model";
import { isOffered, obstacleTo } from "./offers";

it("never invents evidence", () => {
  for (const status of STATUS_ORDER) expect(evidenceOf(aSession({ status })).join()).not.toMatch(/undefined|null|NaN/);
  expect(evidenceOf(aSession({ status: "idle" }))).toEqual(["No iteration ran yet"]);
  expect(evidenceOf(aSession({ status: "unknown", other_checkout: { kind: "branch", name: "main" } }))).toEqual(["Its directory is on another branch: main"]);
});

it("calls a commit by the first sentence of the prompt, and cuts no word", () => {
  expect(subjectOf("Read v1.2 files. Keep the old ones.\nMore")).toBe("Read v1.2 files");
  expect(subjectOf("Fix src/login.ts")).toBe("Fix src/login.ts");
  const cut = subjectOf("Try again when the gateway is away, and say so to whoever waits for the receipt of it");
  expect(cut).toBe("Try again when the gateway is away, and say so to whoever waits for the");
  expect(subjectOf("x".repeat(100))).toHaveLength(72);
});

it("does not take what is not known for nought", () => {
  expect(distanceText(aSession({ ahead: null, behind: 2 }))).toBeNull();
  expect(distanceText(aSession({ ahead: 0, behind: 0 }))).toBe("same as main");
  expect(distanceText(aSession({ ahead: 2, behind: 0 }))).toBe("2 ahead of main");
  expect(distanceText(aSession({ ahead: 0, behind: 3 }))).toBe("3 behind main");
  expect(obstacleTo(aDetail(aSession({ dirty: null, ahead: null })), "commit")).toBeNull();
  expect(obstacleTo(aDetail(aSession({ dirty: false })), "commit")).toBe("Nothing is uncommitted");
});

it("offers only what makes sense", () => {
  expect(isOffered(aDetail(aSession({ status: "running" })), "stop")).toBe(true);
  expect(isOffered(aDetail(aSession({ status: "idle" })), "stop")).toBe(false);
  expect(obstacleTo(aDetail(aSession({ status: "running" })), "merge")).not.toBeNull();
  expect(obstacleTo(aDetail(aSession({ in_trash: true })), "iterate")).not.toBeNull();
});

it("has a command for every action, with keys of its own", () => {
  const commands = sessionCommands({ run: () => undefined, show: () => undefined, isOffered: () => true });
  for (const action of Object.keys(ACTIONS) as ActionId[]) expect(commands.some((command) => command.id === `session.${action}`)).toBe(true);
  const keys = commands.flatMap((command) => command.keys ?? []);
  expect(new Set(keys).size).toBe(keys.length);
});

it("sorts what happened in the same second by what comes last", () => {
  const at = "2026-05-04T10:00:00Z";
  const session = aSession();
  const commit = { id: "c", short: "c", subject: "s", author: "a", at, files: [] };
  const entries = timelineOf({ session, seq: 1, commits: [commit], iterations: [anIteration({ started_at: at })], script_runs: [] }, []);
  expect(entries.map((entry) => entry.kind)).toEqual(["commit", "iteration"]);
});

it("writes addresses for the editor", () => {
  expect(editorUrl("/home/me/a b")).toBe("vscode://file/home/me/a%20b");
  expect(editorUrl("C:\\work\\x")).toBe("vscode://file/C:/work/x");
});

it("quotes a command for a shell", () => {
  expect(shellCommand(["amp", "--model", "large", "it's done", ""])).toBe(String.raw`amp --model large 'it'\''s done' ''`);
});

it("knows what each field is now, in the words that it takes", () => {
  const runtime = { budget: "$5", environment: null, isolation: null, mcp: ["docs", "db"], mode: null, toolboxes: [] };
  const session = aSession({ timeout_ms: 5_400_000, rules: ["allow Read", "ask Bash"], runtime });
  expect(FIELDS.timeout.now(session)).toBe("90m");
  expect(FIELDS.budget.now(session)).toBe("$5");
  expect(FIELDS.mcp.now(session)).toBe("docs, db");
  expect(FIELDS.rules.now(session)).toBe("allow Read\nask Bash");
  expect(FIELDS.worktree.now(session)).toBe(session.worktree_path);
});
