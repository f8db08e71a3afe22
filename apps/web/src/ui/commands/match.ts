/** How well a query fits a text: higher is better, `null` if it does not. Every word must be there, in any order. */
export function match(query: string, text: string): number | null {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const inside = text.toLowerCase();
  let score = 0;
  for (const word of words) {
    const found = matchWord(word, inside);
    if (found === null) return null;
    score += found;
  }
  // Of two that fit alike, the shorter one is meant.
  return score - text.length / 1_000;
}

function matchWord(word: string, text: string): number | null {
  const at = text.indexOf(word);
  if (at === 0) return 12;
  if (at > 0) return /[\s/_-]/.test(text[at - 1] ?? "") ? 9 : 6;
  return word.length >= 3 && isSubsequence(word, text) ? 1 : null;
}

function isSubsequence(word: string, text: string): boolean {
  let at = 0;
  for (const letter of word) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
