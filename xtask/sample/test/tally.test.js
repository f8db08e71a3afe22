import assert from "node:assert/strict";
import { test } from "node:test";

import { report } from "../src/report.js";
import { tally } from "../src/tally.js";

test("a text is counted", () => {
  assert.deepEqual(tally("one two\nthree\n"), { lines: 2, words: 3, characters: 14 });
});

test("the last line counts without a line end", () => {
  assert.equal(tally("one\ntwo").lines, 2);
});

test("words may have accents and apostrophes", () => {
  assert.equal(tally("c'est déjà l'été").words, 3);
});

test("characters are not bytes", () => {
  assert.equal(tally("😀é").characters, 2);
});

test("a report lines up", () => {
  assert.equal(report("a.txt", { lines: 1, words: 20 }), "       1      20  a.txt");
});
