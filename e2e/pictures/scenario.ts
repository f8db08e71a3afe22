/** What a scripted agent does, written down for it. */

export type Step = { do: string } & Record<string, unknown>;

export const say = (text: string): Step => ({ do: "message", text });
export const think = (text: string): Step => ({ do: "thinking", text });
export const ask = (text: string): Step => ({ do: "ask", text });
export const edit = (path: string, old: string, text: string): Step => ({ do: "edit", path, old, new: text });
export const write = (path: string, text: string): Step => ({ do: "write", path, text });
export const call = (name: string, input: object, result: string): Step => ({ do: "tool_call", name, input, result });
export const shell = (cmd: string, result: string): Step => call("Bash", { cmd }, result);
export const read = (path: string, result: string): Step => call("Read", { path }, result);
export const used = (input: number, output: number, cached: number): Step => ({
  do: "usage",
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cached,
});
/** Longer than the pictures take. */
export const workOn: Step = { do: "sleep", milliseconds: 3_600_000 };

/** A scenario with so many turns; the last one repeats. */
export function scenario(...turns: Step[][]): string {
  return turns.map((steps) => `[[turn]]\nsteps = ${inline(steps)}\n`).join("\n");
}

/** A value in one line of TOML, whose texts are written as those of JSON. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([key, it]) => `${JSON.stringify(key)} = ${inline(it)}`).join(", ")} }`;
}
