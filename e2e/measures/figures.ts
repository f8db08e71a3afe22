/** The table that the measures print. */
import os from "node:os";

type Figure = { what: string; figure: string; range: string };

const HEAD: Figure = { what: "what", figure: "figure", range: "least – most" };
const NO_RANGE = "–";

export class Figures {
  readonly #rows: Figure[] = [];

  /** One that was taken once. */
  add(what: string, figure: string): void {
    this.#rows.push({ what, figure, range: NO_RANGE });
  }

  /** The median of several. */
  addMedian(what: string, values: number[], write: (value: number) => string): void {
    const sorted = values.toSorted((one, other) => one - other);
    const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    if (least === undefined || median === undefined || most === undefined) throw new Error(`nothing was measured: ${what}`);
    this.#rows.push({ what, figure: write(median), range: `${write(least)} – ${write(most)}` });
  }

  /** As Markdown. */
  text(chromium: string): string {
    const all = [HEAD, ...this.#rows];
    const width = (key: keyof Figure) => Math.max(...all.map((row) => row[key].length));
    const widths = { what: width("what"), figure: width("figure"), range: width("range") };
    const line = (row: Figure, fill = " ") =>
      `| ${row.what.padEnd(widths.what, fill)} | ${row.figure.padEnd(widths.figure, fill)} | ${row.range.padEnd(widths.range, fill)} |`;
    const rule = line({ what: "", figure: "", range: "" }, "-");
    const machine = `Measured with: ${String(os.availableParallelism())} cores, ${os.platform()}; Chromium ${chromium}.`;
    return [machine, "", line(HEAD), rule, ...this.#rows.map((row) => line(row)), ""].join("\n");
  }
}

export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
export const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;
export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
