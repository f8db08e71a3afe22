import { expect, it } from "vitest";

import { matches } from "./lines";
import { decide, regions } from "./markers";
import { decisions, pairOf, troubles } from "./model";
import { threeWay } from "./three-way";

const lines = (text: string) => text.split(" ");

it("finds the lines that two texts share", () => {
  expect([...matches(lines("a b c d"), lines("a c x d"))]).toEqual([0, -1, 1, 3]);
  expect([...matches(lines("a b c"), lines("x y z"))]).toEqual([-1, -1, -1]);
  expect([...matches([], lines("a"))]).toEqual([]);
  expect([...matches(lines("a b a b"), lines("b a b a"))].filter((at) => at >= 0)).toHaveLength(3);
});

it("shares as many lines as can be shared", () => {
  // A plain table of lengths is slow and sure.
  const longest = (one: string[], other: string[]): number => {
    const table = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
    for (let y = one.length - 1; y >= 0; y -= 1) {
      for (let x = other.length - 1; x >= 0; x -= 1) {
        table[y]![x] = one[y] === other[x] ? table[y + 1]![x + 1]! + 1 : Math.max(table[y + 1]![x]!, table[y]![x + 1]!);
      }
    }
    return table[0]![0]!;
  };
  let seed = 7;
  const random = (most: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
  for (let round = 0; round < 200; round += 1) {
    const text = () => Array.from({ length: random(14) }, () => "abc"[random(3)]!);
    const one = text();
    const other = text();
    const found = [...matches(one, other)];
    const shared = found.filter((at) => at >= 0);
    expect(shared).toHaveLength(longest(one, other));
    expect(shared).toEqual([...shared].sort((a, b) => a - b));
    found.forEach((at, line) => {
      if (at >= 0) expect(other[at]).toBe(one[line]);
    });
  }
});

it("tells who changed what", () => {
  const rows = threeWay(lines("a B c d e2"), lines("a b c d e"), lines("a b c D e3"));
  expect(rows.map((row) => (row.kind === "fold" ? "fold" : `${row.change}:${row.ours?.text ?? "-"}/${row.base?.text ?? "-"}/${row.theirs?.text ?? "-"}`))).toEqual([
    "same:a/a/a",
    "ours:B/b/b",
    "same:c/c/c",
    "conflict:d/d/D",
    "conflict:e2/e/e3",
  ]);
});

it("leaves out long parts that all have", () => {
  const many = Array.from({ length: 100 }, (_, at) => `line ${at}`);
  const rows = threeWay([...many, "ours"], [...many, "base"], [...many, "theirs"]);
  expect(rows[0]).toEqual({ kind: "fold", count: 97 });
  expect(rows).toHaveLength(5);
});

it("shows a side that is not there", () => {
  expect(threeWay([], lines("a b"), lines("a x")).every((row) => row.kind === "fold" || row.ours === null)).toBe(true);
});

const MARKED = "top\n<<<<<<< main\nours\n||||||| base\nold\n=======\ntheirs\n>>>>>>> session\nmiddle\n<<<<<<< main\n=======\nmore\n>>>>>>> session\nend\n";

it("decides the places between markers", () => {
  const [first, second] = regions(MARKED);
  expect(first).toEqual({ from: 1, to: 7, ours: ["ours"], theirs: ["theirs"] });
  expect(second).toMatchObject({ ours: [], theirs: ["more"] });
  expect(decide(MARKED, first!, "ours").startsWith("top\nours\nmiddle\n")).toBe(true);
  const both = decide(MARKED, first!, "both");
  expect(decide(both, regions(both)[0]!, "ours")).toBe("top\nours\ntheirs\nmiddle\nend\n");
  expect(regions("a\n======= b\n")).toEqual([]);
});

it("lists what was decided since the rebase, without what was undone", () => {
  const operation = (id: number, kind: "rebase" | "resolve" | "undo", undoes: number | null = null) => ({
    id,
    kind,
    state: "done" as const,
    summary: `${kind} ${id}`,
    undoes,
    overridden: [],
    has_snapshot: true,
    started_at: "2026-05-04T10:00:00Z",
  });
  const all = [operation(1, "resolve"), operation(2, "rebase"), operation(3, "resolve"), operation(4, "resolve"), operation(5, "undo", 4)];
  expect(decisions(all).map((it) => it.id)).toEqual([3]);
});

it("finds pairs either way round", () => {
  const pair = { session_id: "a", other_id: "b", files: ["x"], base_is_gone: false, migrations: [], case_clashes: [] };
  const base = { ...pair, other_id: null, files: [] };
  expect(pairOf([base, pair], "b", "a")).toBe(pair);
  expect(pairOf([base, pair], "a", undefined)).toBe(base);
  expect([troubles(pair), troubles(base), troubles(undefined)]).toEqual([1, 0, 0]);
});
