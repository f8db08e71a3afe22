/** A line in pieces that look alike. */
import type { Token } from "./highlight/tokens";
import type { Range } from "./words";

export type Piece = { text: string; kind: string | null; isChanged: boolean };

/** Cuts a line where its colour changes, or what was changed begins or ends. Both lists are in order and do not overlap. */
export function pieces(text: string, tokens: readonly Token[], changed: readonly Range[]): Piece[] {
  const found: Piece[] = [];
  let place = 0;
  let token = 0;
  let range = 0;
  while (place < text.length) {
    while ((tokens[token]?.end ?? Infinity) <= place) token += 1;
    while ((changed[range]?.end ?? Infinity) <= place) range += 1;
    const colour = tokens[token];
    const change = changed[range];
    const isColoured = colour !== undefined && colour.start <= place;
    const isChanged = change !== undefined && change.start <= place;
    const end = Math.min(
      text.length,
      colour ? (isColoured ? colour.end : colour.start) : Infinity,
      change ? (isChanged ? change.end : change.start) : Infinity,
    );
    found.push({ text: text.slice(place, end), kind: isColoured ? colour.kind : null, isChanged });
    place = end;
  }
  return found;
}
