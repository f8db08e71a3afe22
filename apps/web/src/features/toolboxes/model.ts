import { type RawSearch, readChoice, readText } from "@/ui/search";

export type ToolboxesSearch = { repo?: string; do?: "check"; /** The tool that is to be run. */ run?: string };

export function readToolboxesSearch(given: RawSearch): ToolboxesSearch {
  return { repo: readText(given.repo), do: readChoice(given.do, ["check"]), run: readText(given.run) };
}

/** What a person typed as the input of a tool; `null` if it is no object. */
export function readInput(text: string): Record<string, unknown> | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** An input to begin with: every field of the schema, empty. */
export function draftInput(schema: unknown): string {
  const properties = typeof schema === "object" && schema !== null && "properties" in schema ? schema.properties : null;
  if (typeof properties !== "object" || properties === null) return "{}";
  return JSON.stringify(Object.fromEntries(Object.keys(properties).map((name) => [name, ""])), null, 2);
}
