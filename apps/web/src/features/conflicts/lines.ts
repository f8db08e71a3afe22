/** Which lines two texts have in common. */

/** With more differences than this, the rest counts as changed: nobody could read it anyway, and it would take long. */
const MOST_DIFFERENCES = 1_500;

/** For each line of `one` its place in `other`, or -1. By Myers' way: the fewest differences. */
export function matches(one: readonly string[], other: readonly string[]): Int32Array {
  const found = new Int32Array(one.length).fill(-1);
  let begin = 0;
  while (begin < one.length && begin < other.length && one[begin] === other[begin]) found[begin] = begin++;
  let end = one.length;
  let otherEnd = other.length;
  while (end > begin && otherEnd > begin && one[end - 1] === other[otherEnd - 1]) found[--end] = --otherEnd;
  walk(one, other, { begin, end, otherEnd }, found);
  return found;
}

type Window = { begin: number; end: number; otherEnd: number };

function walk(one: readonly string[], other: readonly string[], { begin, end, otherEnd }: Window, found: Int32Array): void {
  const height = end - begin;
  const width = otherEnd - begin;
  if (height === 0 || width === 0) return;
  const most = Math.min(height + width, MOST_DIFFERENCES);
  const middle = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const history: Int32Array[] = [];
  for (let differences = 0; differences <= most; differences += 1) {
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let x = isDown(reach, middle, diagonal, differences) ? (reach[middle + diagonal + 1] ?? 0) : (reach[middle + diagonal - 1] ?? 0) + 1;
      let y = x - diagonal;
      while (x < width && y < height && other[begin + x] === one[begin + y]) {
        x += 1;
        y += 1;
      }
      reach[middle + diagonal] = x;
      if (x >= width && y >= height) {
        history.push(reach.slice(middle - differences - 1, middle + differences + 2));
        back(history, { height, width, begin }, found);
        return;
      }
    }
    history.push(reach.slice(middle - differences - 1, middle + differences + 2));
  }
}

function isDown(reach: Int32Array, middle: number, diagonal: number, differences: number): boolean {
  if (diagonal === -differences) return true;
  return diagonal !== differences && (reach[middle + diagonal - 1] ?? 0) < (reach[middle + diagonal + 1] ?? 0);
}

/** Goes the way back and notes where lines are the same. `history[d]` has what was reached with `d` differences. */
function back(history: readonly Int32Array[], { height, width, begin }: { height: number; width: number; begin: number }, found: Int32Array): void {
  let x = width;
  let y = height;
  for (let differences = history.length - 1; differences > 0; differences -= 1) {
    const before = history[differences - 1] ?? new Int32Array();
    const middle = differences;
    const diagonal = x - y;
    const isFromAbove = isDown(before, middle, diagonal, differences);
    const previous = isFromAbove ? diagonal + 1 : diagonal - 1;
    const fromX = before[middle + previous] ?? 0;
    const fromY = fromX - previous;
    const startX = isFromAbove ? fromX : fromX + 1;
    while (x > startX) found[begin + --y] = begin + --x;
    x = fromX;
    y = fromY;
  }
  while (x > 0 && y > 0) found[begin + --y] = begin + --x;
}
