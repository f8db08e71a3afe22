import type { ScriptRun, Wire } from "@/api/types";
import type { RawSearch } from "@/ui/search";

/** What the address says about scripts. */
export type ScriptSearch = { /** The run whose output is shown. */ run?: number };

export function readScriptSearch(given: RawSearch): ScriptSearch {
  const run = Number(given.run);
  return { run: Number.isSafeInteger(run) && run > 0 ? run : undefined };
}

/** A script that the settings name. */
export type Script = { name: string; command: string; permission: string };

/** The scripts among the commands of a repository, without those that are servers. */
export function scriptsOf(commands: readonly Wire["ProjectCommand"][], servers: ReadonlySet<string>): Script[] {
  return commands.flatMap(({ setting, command, permission }) => {
    const name = /^scripts\.(.+)$/.exec(setting)?.[1];
    return name === undefined || servers.has(name) || permission === "not_set" ? [] : [{ name, command, permission }];
  });
}

/** A line of output, and the colours that were on where it begins. */
export type OutputLine = { carried: string; text: string };

/** What was read of an output. `lines` ends with the one that may go on. */
export type Output = {
  /** The byte it begins with; 0 if nothing is left out. */
  from: number;
  next: number;
  lines: readonly OutputLine[];
  marks: readonly Mark[];
  /** How many bytes the user asked for beyond those that are read anyway. */
  asked: number;
};

/** A line and the byte it begins with. Output is cut only where that is known. */
type Mark = { line: number; offset: number };

export function emptyOutput(offset: number): Output {
  return { from: offset, next: offset, lines: [{ carried: "", text: "" }], marks: [], asked: 0 };
}

/** The output with what comes after it. */
export function withLater(output: Output, bytes: Uint8Array): Output {
  const marks = [...output.marks, ...marksIn(bytes, output.next, output.lines.length)];
  return { ...output, next: output.next + bytes.length, lines: appendText(output.lines, decoded(bytes)), marks };
}

/** The output with what comes before it. */
export function withEarlier(output: Output, bytes: Uint8Array): Output {
  const from = output.from - bytes.length;
  const earlier = appendText([{ carried: "", text: "" }], decoded(bytes));
  const [first, ...rest] = output.lines;
  const open = earlier.at(-1);
  const joined = { carried: open?.carried ?? "", text: (open?.text ?? "") + (first?.text ?? "") };
  const marks = [...marksIn(bytes, from, 1), ...output.marks.map(({ line, offset }) => ({ line: line + earlier.length - 1, offset }))];
  return { ...output, from, lines: [...earlier.slice(0, -1), joined, ...rest], marks, asked: output.asked + bytes.length };
}

/** The output without its beginning if it is longer than `most`: about half of that is left, so that this is seldom. */
export function shortened(output: Output, most: number): Output {
  if (output.next - output.from <= most + output.asked) return output;
  const cut = output.marks.findLast((mark) => mark.offset <= output.next - most / 2);
  if (!cut) return output;
  const marks = output.marks.flatMap(({ line, offset }) => (offset > cut.offset ? [{ line: line - cut.line, offset }] : []));
  return { ...output, from: cut.offset, lines: output.lines.slice(cut.line), marks, asked: 0 };
}

/** Where the first line begins that is whole; `line` is its number. */
function marksIn(bytes: Uint8Array, offset: number, line: number): Mark[] {
  const end = bytes.indexOf(LINE_END);
  return end === -1 ? [] : [{ line, offset: offset + end + 1 }];
}

const LINE_END = "\n".charCodeAt(0);

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

// eslint-disable-next-line no-control-regex -- colours are written with the escape sign
const SGR = /\u001b\[([\d;:]*)m/g;

/** Adds text to lines. The last line may go on and is kept as it came; of the others, what can be seen. */
export function appendText(lines: readonly OutputLine[], text: string): OutputLine[] {
  if (text === "") return [...lines];
  const open = lines.at(-1) ?? { carried: "", text: "" };
  const pieces = (open.text + text).split("\n");
  let carried = open.carried;
  const added = pieces.map((piece, index) => {
    const line = { carried, text: index === pieces.length - 1 ? piece : visible(piece) };
    carried = carriedOver(carried, piece);
    return line;
  });
  return [...lines.slice(0, -1), ...added];
}

/** What can be seen of a line: a lone carriage return begins it anew, as a terminal does. */
export function visible(piece: string): string {
  const bare = piece.endsWith("\r") ? piece.slice(0, -1) : piece;
  const start = bare.lastIndexOf("\r");
  return start === -1 ? bare : bare.slice(start + 1);
}

/** The colours that are on after a line. */
function carriedOver(carried: string, text: string): string {
  let on = carried;
  for (const [sequence, codes] of text.matchAll(SGR)) {
    on = codes === "" || codes === "0" ? "" : codes?.startsWith("0;") ? sequence : on + sequence;
  }
  return on;
}

/** A text without colours, for searching. */
export function plainText(line: OutputLine): string {
  // eslint-disable-next-line no-control-regex -- escape sequences begin with the escape sign
  return visible(line.text).replace(/\u001b\[[\d;:?]*[A-Za-z]/g, "");
}

/** The lines that have a text. */
export function findLines(lines: readonly OutputLine[], text: string): number[] {
  const wanted = text.toLowerCase();
  if (wanted === "") return [];
  return lines.flatMap((line, index) => (plainText(line).toLowerCase().includes(wanted) ? [index] : []));
}

export function isServerRunning(run: ScriptRun | null | undefined): boolean {
  return run?.state === "running";
}
