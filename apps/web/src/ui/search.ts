/** Reads single values of an address, whatever somebody wrote there. */
export type RawSearch = Record<string, unknown>;

/** A text that says something. The router reads `7` as a number; it is a text all the same. */
export function readText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function readFlag(value: unknown): true | undefined {
  return value === true || value === "true" || value === 1 ? true : undefined;
}

/** One of a few words. */
export function readChoice<T extends string>(value: unknown, choices: readonly T[]): T | undefined {
  return choices.find((choice) => choice === value);
}
