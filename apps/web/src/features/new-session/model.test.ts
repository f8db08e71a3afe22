import { expect, it } from "vitest";

import type { Wire } from "@/api/types";

import { emptyDraft, emptyVariant, missingVariables, nameFrom, namesOf, promptOf, requestsOf } from "./model";

const draft = { ...emptyDraft({ repo: "/home/me/project" }), prompt: "Fix the login form, please" };

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
  expect(namesOf(two)).toEqual(["x-amp", "x-codex"]);
  expect(namesOf({ ...two, variants: [emptyVariant(0), emptyVariant(1)] })).toEqual(["x-1", "x-2"]);
  expect(namesOf(draft)).toEqual(["fix-login-form"]);
});

it("fills a template in and names what lacks", () => {
  const empty = { ...draft, prompt: "", template: "component" };
  expect(missingVariables(empty, template)).toEqual(["component"]);
  expect(promptOf({ ...empty, variables: { component: "a table" } }, template)).toBe("Write a table in Rust");
});

it("sends what was said and nothing else", () => {
  const [request] = requestsOf(draft);
  expect(request).toEqual({
    repository: "/home/me/project",
    name: "fix-login-form",
    prompt: "Fix the login form, please",
    allow_commands: false,
    run: true,
  });
});
