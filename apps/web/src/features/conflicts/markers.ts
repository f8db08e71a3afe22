/** Git's markers in a text, and deciding between what stands around them. */

/** A place that both sides wrote, by the lines of the text it begins and ends with. */
export type Region = { from: number; to: number; ours: string[]; theirs: string[] };

export type Choice = "ours" | "theirs" | "both";

export function regions(text: string): Region[] {
  const found: Region[] = [];
  let open: (Region & { part: "ours" | "base" | "theirs" }) | null = null;
  text.split("\n").forEach((line, at) => {
    if (/^<{7}( |$)/.test(line)) open = { from: at, to: at, ours: [], theirs: [], part: "ours" };
    else if (!open) return;
    else if (/^\|{7}( |$)/.test(line)) open.part = "base";
    else if (/^={7}$/.test(line.trimEnd())) open.part = "theirs";
    else if (/^>{7}( |$)/.test(line)) {
      const { from, ours, theirs } = open;
      found.push({ from, to: at, ours, theirs });
      open = null;
    } else if (open.part !== "base") open[open.part].push(line);
  });
  return found;
}

/** The text with one place decided. */
export function decide(text: string, region: Region, choice: Choice): string {
  const chosen = choice === "both" ? [...region.ours, ...region.theirs] : region[choice];
  return text.split("\n").toSpliced(region.from, region.to - region.from + 1, ...chosen).join("\n");
}

/** Where a line begins in a text. */
export function offsetOf(text: string, line: number): number {
  let place = 0;
  for (let at = 0; at < line; at += 1) {
    const end = text.indexOf("\n", place);
    if (end === -1) return text.length;
    place = end + 1;
  }
  return place;
}
