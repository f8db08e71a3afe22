import type { Wire } from "@/api/types";
import { type RawSearch, readChoice, readText } from "@/ui/search";

import type { Template } from "./api";

export type TemplatesSearch = {
  repo?: string;
  template?: string;
  do?: "new" | "edit" | "import" | "delete" | "text";
};

export function readTemplatesSearch(given: RawSearch): TemplatesSearch {
  return { repo: readText(given.repo), template: readText(given.template), do: readChoice(given.do, ["new", "edit", "import", "delete", "text"]) };
}

/** A template as a form holds it. */
export type TemplateDraft = { name: string; description: string; prompt: string; agent: string; model: string; base: string; script: string; timeout: string };

export function draftOf(template: Template | undefined): TemplateDraft {
  return {
    name: template?.name ?? "",
    description: template?.description ?? "",
    prompt: template?.prompt ?? "",
    agent: template?.agent ?? "",
    model: template?.model ?? "",
    base: template?.base ?? "",
    script: template?.script ?? "",
    timeout: template?.timeout_ms == null ? "" : timeoutText(template.timeout_ms),
  };
}

/** What is sent. Fields that the form does not have stay as the template has them. */
export function bodyOf(draft: TemplateDraft, before: Template | undefined): Wire["SaveTemplate"] {
  const text = (value: string) => (value.trim() === "" ? null : value);
  return {
    description: text(draft.description),
    prompt: text(draft.prompt),
    agent: text(draft.agent),
    model: text(draft.model),
    base: text(draft.base),
    script: text(draft.script),
    timeout: text(draft.timeout),
    replace: before !== undefined,
    mode: before?.mode,
    environment: before?.environment,
    isolation: before?.isolation,
    budget: before?.budget,
    toolboxes: before?.toolboxes,
    mcp: before?.mcp,
    repository: before?.repository,
    variables: before && defaultsOf(before),
  };
}

/** The document says of these values only that they form an object. */
function defaultsOf(template: Template): Wire["SaveTemplate"]["variables"] {
  const values = template.variables.flatMap((variable) => (variable.default == null ? [] : [[variable.name, variable.default]]));
  return Object.fromEntries(values) as Wire["SaveTemplate"]["variables"];
}

const NAME = /^[a-z0-9][a-z0-9_-]*$/;
/** What is said about another name. */
export const NAME_RULE = "Lower-case letters, digits, - and _";

export function isTemplateName(name: string): boolean {
  return NAME.test(name);
}

function timeoutText(ms: number): string {
  if (ms === 0) return "0";
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${Math.ceil(ms / 1_000)}s`;
}

/** Whether the user may delete or replace it here. */
export function isOwn(template: Template): boolean {
  return template.origin === "user";
}
