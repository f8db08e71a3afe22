/** Which words of two lines differ. */

export type Range = { start: number; end: number };

const WORD = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
/** Lines with more words than this are compared as a whole: nobody reads them word by word. */
const MOST_WORDS = 400;
/** Below this share of common letters two lines are different lines, not a changed one. */
const LEAST_COMMON = 0.35;

/** The parts that differ, on each side; `null` if the lines have too little in common. */
export function wordDiff(before: string, after: string): { before: Range[]; after: Range[] } | null {
  const old = before.match(WORD) ?? [];
  const now = after.match(WORD) ?? [];
  if (old.length === 0 || now.length === 0 || old.length > MOST_WORDS || now.length > MOST_WORDS) return null;
  const isKept = common(old, now);
  const letters = old.reduce((sum, word, at) => sum + (isKept.old[at] === 1 && word.trim() !== "" ? word.length : 0), 0);
  const whole = Math.max(before.replace(/\s/g, "").length, after.replace(/\s/g, "").length);
  if (whole === 0 || letters / whole < LEAST_COMMON) return null;
  return { before: ranges(old, isKept.old), after: ranges(now, isKept.now) };
}

/** Marks the words of a longest common sequence. */
function common(old: string[], now: string[]): { old: Uint8Array; now: Uint8Array } {
  const kept = { old: new Uint8Array(old.length), now: new Uint8Array(now.length) };
  let begin = 0;
  while (begin < old.length && begin < now.length && old[begin] === now[begin]) {
    kept.old[begin] = kept.now[begin] = 1;
    begin += 1;
  }
  let oldEnd = old.length;
  let newEnd = now.length;
  while (oldEnd > begin && newEnd > begin && old[oldEnd - 1] === now[newEnd - 1]) {
    oldEnd -= 1;
    newEnd -= 1;
    kept.old[oldEnd] = kept.now[newEnd] = 1;
  }
  const height = oldEnd - begin;
  const width = newEnd - begin;
  const lengths = new Uint16Array((height + 1) * (width + 1));
  const at = (row: number, column: number) => row * (width + 1) + column;
  for (let row = height - 1; row >= 0; row -= 1) {
    for (let column = width - 1; column >= 0; column -= 1) {
      const isSame = old[begin + row] === now[begin + column];
      const below = lengths[at(row + 1, column)] ?? 0;
      const beside = lengths[at(row, column + 1)] ?? 0;
      lengths[at(row, column)] = isSame ? (lengths[at(row + 1, column + 1)] ?? 0) + 1 : Math.max(below, beside);
    }
  }
  for (let row = 0, column = 0; row < height && column < width; ) {
    if (old[begin + row] === now[begin + column]) {
      kept.old[begin + row] = kept.now[begin + column] = 1;
      row += 1;
      column += 1;
    } else if ((lengths[at(row + 1, column)] ?? 0) >= (lengths[at(row, column + 1)] ?? 0)) row += 1;
    else column += 1;
  }
  return kept;
}

function ranges(words: string[], isKept: Uint8Array): Range[] {
  const found: Range[] = [];
  let place = 0;
  words.forEach((word, index) => {
    const end = place + word.length;
    if (isKept[index] === 0) {
      const last = found.at(-1);
      if (last?.end === place) last.end = end;
      else found.push({ start: place, end });
    }
    place = end;
  });
  return found;
}
