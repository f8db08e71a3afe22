import { expect, it } from "vitest";

import type { Wire } from "@/api/types";

import { emptyDraft, emptyVariant, likelyRepository, missingVariables, nameFrom, namesOf, promptOf, requestsOf } from "./model";

const draft = { ...emptyDraft({}), repository: "/home/me/project", prompt: "Fix the login form, please" };

const template: Wire["Template"] = {
  name: "component",
  file: "/t.toml",
  origin: "user",
  mcp: [],
  toolboxes: [],
  unknown_keys: [],
  prompt: "Write {{component}} in {{language}}",
  variables: [{ name: "component" }, { name: "language", default: "Rust" }],
};

it("makes a name of the prompt", () => {
  expect(nameFrom("Fix the login form, please")).toBe("fix-login-form");
  expect(nameFrom("")).toBe("");
});

it("tells variants apart by what differs, or by number", () => {
  const two = { ...draft, name: "x", variants: [{ ...emptyVariant(0), agent: "amp" }, { ...emptyVariant(1), agent: "codex" }] };
  expect(namesOf(two, null)).toEqual(["x-amp", "x-codex"]);
  expect(namesOf({ ...two, variants: [emptyVariant(0), emptyVariant(1)] }, null)).toEqual(["x-1", "x-2"]);
  expect(namesOf(draft, null)).toEqual(["fix-login-form"]);
});

it("fills a template in and names what lacks", () => {
  const empty = { ...draft, prompt: "", template: "component" };
  expect(missingVariables(empty, template)).toEqual(["component"]);
  expect(promptOf({ ...empty, variables: { component: "a table" } }, template)).toBe("Write a table in Rust");
});

it("makes a name of what a template says", () => {
  expect(namesOf({ ...draft, prompt: "", template: "component", variables: { component: "a table" } }, template)).toEqual(["write-table-rust"]);
});

it("proposes the repository that was used last, or the only one", () => {
  expect(likelyRepository(["/a", "/b"], "/b")).toBe("/b");
  expect(likelyRepository(["/a", "/b"], "/gone")).toBe("");
  expect(likelyRepository(["/a"], null)).toBe("/a");
  expect(likelyRepository([], null)).toBe("");
});

it("sends what was said and nothing else", () => {
  const [request] = requestsOf(draft, null);
  expect(request).toEqual({
    repository: "/home/me/project",
    name: "fix-login-form",
    prompt: "Fix the login form, please",
    allow_commands: false,
    run: true,
  });
});
