import { groupBy } from "@/ui/group-by";
import { type RawSearch, readFlag, readText } from "@/ui/search";

import type { Setting } from "./api";

/** What the address says about the page. */
export type SettingsSearch = {
  /** The repository whose settings are shown; none: the user's. */
  repo?: string;
  text?: string;
  /** Only those that are not as they come. */
  changed?: true;
  /** The setting that is being changed. */
  edit?: string;
};

export function readSettingsSearch(given: RawSearch): SettingsSearch {
  return { repo: readText(given.repo), text: readText(given.text), changed: readFlag(given.changed), edit: readText(given.edit) };
}

/** A key that the user writes. */
export const NEW_KEY = "*";

export type OriginKind = "default" | "user" | "repository" | "environment" | "other";
export type Origin = { kind: OriginKind; /** A file or a variable. */ place: string | null };

const ORIGINS: readonly [string, OriginKind][] = [
  ["user file", "user"],
  ["repository file", "repository"],
  ["environment variable", "environment"],
];

/** Where a value comes from, as the answer says it. */
export function originOf(setting: Pick<Setting, "origin">): Origin {
  if (setting.origin === "default") return { kind: "default", place: null };
  for (const [start, kind] of ORIGINS) {
    if (setting.origin.startsWith(start)) return { kind, place: setting.origin.slice(start.length).trim() || null };
  }
  return { kind: "other", place: setting.origin };
}

export function chooseSettings(settings: readonly Setting[], search: SettingsSearch): Setting[] {
  const words = (search.text ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  return settings.filter((setting) => {
    if (search.changed && originOf(setting).kind === "default") return false;
    const inside = `${setting.key} ${setting.description} ${setting.value ?? ""}`.toLowerCase();
    return words.every((word) => inside.includes(word));
  });
}

/** Settings by the first part of their key, in their order. */
export function inGroups(settings: readonly Setting[]): [string, Setting[]][] {
  return [...groupBy(settings, (setting) => setting.key.split(".")[0] ?? setting.key)];
}

/** How a value is written: chosen from a few, or typed. */
export type Shape = { choices: string[] | null; standard: string | null; isList: boolean };

/** What the schema of the settings file says about a key. */
export function shapeOf(schema: unknown, key: string): Shape {
  let at: unknown = schema;
  for (const part of key.split(".")) at = inside(at, part);
  const type = field(at, "type");
  const choices = field(at, "enum");
  const standard = field(at, "default");
  return {
    choices: Array.isArray(choices) ? choices.map(String) : type === "boolean" ? ["true", "false"] : null,
    standard: standard === undefined ? null : typeof standard === "string" ? standard : JSON.stringify(standard),
    isList: type === "array" || (Array.isArray(type) && type.includes("array")),
  };
}

function inside(schema: unknown, part: string): unknown {
  const named = field(field(schema, "properties"), part);
  if (named !== undefined) return named;
  const patterns = field(schema, "patternProperties");
  if (typeof patterns !== "object" || patterns === null) return undefined;
  return Object.entries(patterns).find(([pattern]) => new RegExp(pattern).test(part))?.[1];
}

function field(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? (of as Record<string, unknown>)[name] : undefined;
}
