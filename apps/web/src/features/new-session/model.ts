import type { Wire } from "@/api/types";

type Template = Wire["Template"];
type CreateSession = Wire["CreateSession"];

/** What the address says about the session that is to be made. */
export type NewSearch = { repo?: string; template?: string };

export function readNewSearch(given: Record<string, unknown>): NewSearch {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  return { repo: text(given.repo), template: text(given.template) };
}

/** One of several who work on the same prompt. */
export type Variant = { key: number; agent: string; model: string; mode: string; environment: string };

/** Everything the form holds; empty text means that the template or the settings say it. */
export type Draft = {
  repository: string;
  name: string;
  prompt: string;
  template: string;
  variables: Record<string, string>;
  base: string;
  branch: string;
  constraints: string;
  script: string;
  issue: string;
  notes: string;
  budget: string;
  timeout: string;
  permissions: "" | Wire["PermissionPolicy"];
  isolation: "" | Wire["Isolation"];
  mcp: string[];
  toolboxes: string[];
  allowCommands: boolean;
  run: boolean;
  variants: Variant[];
};

export function emptyVariant(key: number): Variant {
  return { key, agent: "", model: "", mode: "", environment: "" };
}

/** What the user said so far; the repository may be one that is likely meant. */
export type Said = Omit<Draft, "repository"> & { repository: string | null };

/** The repository that is likely meant: the one that was used last, or the only one. */
export function likelyRepository(known: readonly string[], last: string | null): string {
  if (last !== null && known.includes(last)) return last;
  return known.length === 1 ? (known[0] ?? "") : "";
}

export function emptyDraft(search: NewSearch): Said {
  return {
    repository: search.repo ?? null,
    name: "",
    prompt: "",
    template: search.template ?? "",
    variables: {},
    base: "",
    branch: "",
    constraints: "",
    script: "",
    issue: "",
    notes: "",
    budget: "",
    timeout: "",
    permissions: "",
    isolation: "",
    mcp: [],
    toolboxes: [],
    allowCommands: false,
    run: true,
    variants: [emptyVariant(0)],
  };
}

/** Short words that say nothing in a name. */
const FILLERS = new Set(["a", "an", "and", "for", "in", "of", "on", "please", "so", "that", "the", "to", "with"]);
const NAME_WORDS = 5;

/** A name made of the first words of a prompt. */
export function nameFrom(prompt: string): string {
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const telling = words.filter((word) => !FILLERS.has(word));
  return telling.slice(0, NAME_WORDS).join("-").slice(0, 48);
}

/** The name of each variant: the name itself if there is one, else with what tells them apart. */
export function namesOf(draft: Draft, template: Template | null): string[] {
  const name = draft.name === "" ? nameFrom(promptOf(draft, template)) : draft.name;
  if (draft.variants.length === 1) return [name];
  const endings = draft.variants.map((variant) => [variant.agent, variant.model, variant.mode].map(nameFrom).filter((part) => part !== "").join("-"));
  const areTelling = endings.every((ending) => ending !== "") && new Set(endings).size === endings.length;
  // By its key, because one that was removed may have a session with its number.
  return draft.variants.map(({ key }, index) => `${name}-${areTelling ? (endings[index] ?? "") : key + 1}`);
}

/** The prompt as it is sent: the draft's own, or the template's with its variables filled in. */
export function promptOf(draft: Draft, template: Template | null): string {
  const text = draft.prompt === "" ? (template?.prompt ?? "") : draft.prompt;
  return template ? fill(text, template, draft.variables) : text;
}

function fill(text: string, template: Template, values: Record<string, string>): string {
  return text.replace(/\{\{\s*([\w-]+)\s*\}\}/g, (whole, name: string) => {
    const known = template.variables.find((variable) => variable.name === name);
    const given = values[name];
    if (!known) return whole;
    return given !== undefined && given !== "" ? given : (known.default ?? whole);
  });
}

/** Variables that must be given and are not. */
export function missingVariables(draft: Draft, template: Template | null): string[] {
  const all = template?.variables ?? [];
  return all.filter(({ name, default: usual }) => usual == null && (draft.variables[name] ?? "") === "").map(({ name }) => name);
}

/** One request for each variant. */
export function requestsOf(draft: Draft, template: Template | null): CreateSession[] {
  const names = namesOf(draft, template);
  const optional = (text: string) => (text.trim() === "" ? undefined : text.trim());
  const given = Object.entries(draft.variables).filter(([, value]) => value !== "");
  return draft.variants.map((variant, index) => ({
    repository: draft.repository.trim(),
    name: names[index] ?? "",
    prompt: optional(draft.prompt),
    template: optional(draft.template),
    variables: draft.template === "" ? undefined : Object.fromEntries(given),
    base: optional(draft.base),
    // Only one session can work on a branch that exists.
    branch: draft.variants.length === 1 ? optional(draft.branch) : undefined,
    constraints: optional(draft.constraints),
    script: optional(draft.script),
    issue: optional(draft.issue),
    notes: optional(draft.notes),
    budget: optional(draft.budget),
    timeout: optional(draft.timeout),
    permissions: draft.permissions === "" ? undefined : draft.permissions,
    isolation: draft.isolation === "" ? undefined : draft.isolation,
    mcp: draft.mcp.length > 0 ? draft.mcp : undefined,
    toolboxes: draft.toolboxes.length > 0 ? draft.toolboxes : undefined,
    allow_commands: draft.allowCommands,
    run: draft.run,
    agent: optional(variant.agent),
    model: optional(variant.model),
    mode: optional(variant.mode),
    environment: optional(variant.environment),
  }));
}
