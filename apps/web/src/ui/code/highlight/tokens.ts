/**
 * Coloured parts of a text, as numbers, so that they come from a worker without being copied: four for each part, its
 * line, where it begins and ends, and its class.
 */
export const CLASSES = [
  "keyword", "string", "number", "comment", "title", "type", "built_in", "literal", "attr", "attribute", "variable", "meta", "regexp",
  "symbol", "tag", "name", "selector-tag", "selector-class", "selector-id", "property", "params", "operator", "punctuation", "section",
  "bullet", "code", "emphasis", "strong", "link", "quote", "addition", "deletion", "doctag", "subst", "template-variable", "char",
] as const;

const NUMBERS = new Map<string, number>(CLASSES.map((name, index) => [name, index]));
const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };
const PART = /<span class="([^"]*)">|<\/span>|&(?:amp|lt|gt|quot|#x27);|\n|[^<&\n]+/g;

export type Tokens = { parts: Uint32Array; /** Where the parts of each line begin in `parts`. */ lines: Uint32Array };

/** Reads the markup that highlight.js writes. It has spans, texts and five entities, nothing else. */
export function readMarkup(markup: string): Tokens {
  const parts: number[] = [];
  const lines: number[] = [0];
  const open: (number | null)[] = [];
  let line = 0;
  let place = 0;
  const put = (length: number) => {
    const kind = open.findLast((it) => it !== null);
    if (kind != null && length > 0) {
      const last = parts.length - 4;
      const isJoined = last >= 0 && parts[last] === line && parts[last + 2] === place && parts[last + 3] === kind;
      if (isJoined) parts[last + 2] = place + length;
      else parts.push(line, place, place + length, kind);
    }
    place += length;
  };
  for (const [piece, name] of markup.matchAll(PART)) {
    if (name !== undefined) open.push(classNumber(name));
    else if (piece === "</span>") open.pop();
    else if (piece === "\n") {
      line += 1;
      place = 0;
      lines.push(parts.length);
    } else put(ENTITIES[piece] === undefined ? piece.length : 1);
  }
  lines.push(parts.length);
  return { parts: Uint32Array.from(parts), lines: Uint32Array.from(lines) };
}

/** `hljs-title function_` is a title. */
function classNumber(name: string): number | null {
  const first = name.split(" ")[0]?.replace(/^hljs-/, "") ?? "";
  return NUMBERS.get(first) ?? null;
}

export type Token = { start: number; end: number; kind: string };

/** The parts of one line, counted from 0. */
export function tokensOf(tokens: Tokens, line: number): Token[] {
  const from = tokens.lines[line];
  const to = tokens.lines[line + 1];
  if (from === undefined || to === undefined) return [];
  const found: Token[] = [];
  for (let at = from; at < to; at += 4) {
    found.push({ start: tokens.parts[at + 1] ?? 0, end: tokens.parts[at + 2] ?? 0, kind: CLASSES[tokens.parts[at + 3] ?? 0] ?? "" });
  }
  return found;
}
