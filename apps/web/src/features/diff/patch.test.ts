import { expect, it } from "vitest";

import { wordDiff } from "@/ui/code/words";

import { parsePatch } from "./patch";
import { changeStarts, diffRows, segments } from "./rows";

const PATCH = `diff --git a/src/a.js b/src/a.js
index 1111111..2222222 100644
--- a/src/a.js
+++ b/src/a.js
@@ -3,4 +3,5 @@ function top() {
 three
-four
+four!
+more
 five
 six
@@ -20,2 +21,2 @@
 twenty
-last
\\ No newline at end of file
+last line
`;

const options = { isSplit: false, ignoresSpace: false, opened: new Map(), lines: null, canOpen: true };

it("reads hunks with the numbers of both sides", () => {
  const patch = parsePatch(PATCH);
  expect(patch.hunks).toHaveLength(2);
  expect(patch.hunks[0]?.section).toBe("function top() {");
  expect(patch.hunks[0]?.lines.map(({ kind, old, new: now, text }) => [kind, old, now, text])).toEqual([
    ["same", 3, 3, "three"],
    ["del", 4, null, "four"],
    ["add", null, 4, "four!"],
    ["add", null, 5, "more"],
    ["same", 5, 6, "five"],
    ["same", 6, 7, "six"],
  ]);
  expect(patch.hunks[1]?.lines.map((line) => line.isUnended ?? false)).toEqual([false, true, false]);
  expect([patch.oldBlob, patch.newBlob]).toEqual(["1111111", "2222222"]);
});

it("reads lines that look like headings as lines", () => {
  const patch = parsePatch("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old heading\n+++ new heading\n @@ -1 +1 @@\n");
  expect(patch.hunks[0]?.lines.map((line) => line.text)).toEqual(["-- old heading", "++ new heading", "@@ -1 +1 @@"]);
});

it.each([
  ["Binary files a/x and b/x differ", { isBinary: true }],
  ["old mode 100644\nnew mode 100755", { oldMode: "100644", newMode: "100755" }],
  ["similarity index 96%\nrename from a\nrename to b", { similarity: 96 }],
  ["index 111..222 160000\n@@ -1 +1 @@\n-Subproject commit 111\n+Subproject commit 222", { isSubmodule: true }],
  ["@@ -1 +1 @@\n-caf\uFFFD\n+cafe", { hasReplaced: true }],
])("tells what is no ordinary change: %s", (text, said) => {
  expect(parsePatch(`diff --git a/x b/x\n${text}\n`)).toMatchObject(said);
});

it("folds what lies between, and pairs sides", () => {
  const rows = diffRows(parsePatch(PATCH), { ...options, isSplit: true });
  expect(rows.map((row) => (row.kind === "fold" ? `fold ${row.count}` : `${row.left?.text ?? "-"}|${row.right?.text ?? "-"}`))).toEqual([
    "fold 2",
    "three|three",
    "four|four!",
    "-|more",
    "five|five",
    "six|six",
    "fold 13",
    "twenty|twenty",
    "last|last line",
  ]);
  expect(changeStarts(rows)).toEqual([2, 8]);
});

it("unfolds with the numbers of both sides", () => {
  const lines = Array.from({ length: 22 }, (_, at) => `line ${at + 1}`);
  const rows = diffRows(parsePatch(PATCH), { ...options, lines, opened: new Map([[1, { top: 1, bottom: 2 }]]) });
  const shown = rows.flatMap((row) => (row.kind === "line" && row.left?.text.startsWith("line ") ? [[row.left.old, row.left.new, row.left.text]] : []));
  expect(shown).toEqual([
    [7, 8, "line 8"],
    [18, 19, "line 19"],
    [19, 20, "line 20"],
  ]);
  expect(rows.find((row) => row.kind === "fold" && row.gap === 1)).toMatchObject({ count: 10 });
});

it("leaves out changes of white space when asked to", () => {
  const patch = parsePatch("@@ -1,3 +1,3 @@\n-if (a) {\n-old\n+  if (a) {\n+new\n end\n@@ -9 +9 @@\n-x\n+ x\n");
  const rows = diffRows(patch, { ...options, ignoresSpace: true });
  const kinds = rows.flatMap((row) => (row.kind === "line" ? [row.left?.kind === row.right?.kind ? "same" : (row.left ?? row.right)?.kind] : []));
  expect(kinds).toEqual(["same", "del", "add", "same"]);
});

it("gives each side in parts without gaps", () => {
  expect(segments(diffRows(parsePatch(PATCH), options)).map(({ side, first, text }) => [side, first, text.split("\n").length])).toEqual([
    ["old", 3, 4],
    ["old", 20, 2],
    ["new", 3, 5],
    ["new", 21, 2],
  ]);
});

it("finds the words that differ", () => {
  expect(wordDiff("return a + b;", "return a - b;")).toEqual({ before: [{ start: 9, end: 10 }], after: [{ start: 9, end: 10 }] });
  expect(wordDiff("const sum = first + second;", "const total = first + second;")?.after).toEqual([{ start: 6, end: 11 }]);
  expect(wordDiff("something", "else entirely")).toBeNull();
});

it("reads a patch of a megabyte at once", () => {
  const lines = Array.from({ length: 30_000 }, (_, at) => `+line ${at} of a file with many lines`);
  const started = performance.now();
  const rows = diffRows(parsePatch(`@@ -0,0 +1,30000 @@\n${lines.join("\n")}\n`), options);
  expect(rows).toHaveLength(30_000);
  expect(performance.now() - started).toBeLessThan(1_000);
});
