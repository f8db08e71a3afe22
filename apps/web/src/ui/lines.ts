/** Texts by their lines. */

/** Longer ones are cut: a line of a million characters would be the page. */
const LONGEST = 300;

/** The first line of a text, for a place that has room for one. */
export function firstLine(text: string): string {
  const end = text.search(/\r?\n/);
  return (end === -1 ? text : text.slice(0, end)).slice(0, LONGEST);
}

/** A text in lines; a line break at its end begins no line. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
