import { describe, expect, it } from "vitest";

import { WINDOW, aboutCall, editsOfCall, linesOfEdit, readTranscriptSearch, slashPrefix, windowOf } from "./model";

describe("the window", () => {
  it("holds a short transcript as a whole", () => {
    expect(windowOf({ begin: 0, end: 500, seq: 1 }, null)).toEqual({ after: 0, to: 500 });
  });

  it("holds the end of a long one", () => {
    const found = windowOf({ begin: 0, end: 1_000_123, seq: 1 }, null);
    expect(found.to).toBe(1_000_123);
    expect(found.to - found.after).toBeLessThanOrEqual(WINDOW);
  });

  it("holds what is around any position", () => {
    for (const at of [1, 40_000, 999_999, 1_000_000]) {
      const { after, to } = windowOf({ begin: 0, end: 1_000_000, seq: 1 }, at);
      expect(after).toBeLessThan(at);
      expect(to).toBeGreaterThanOrEqual(at);
      expect(to - after).toBeLessThanOrEqual(WINDOW);
    }
  });
});

it("reads the address and leaves out what makes no sense", () => {
  expect(readTranscriptSearch({ at: 40_000, text: "x" })).toEqual({ at: 40_000, text: "x" });
  expect(readTranscriptSearch({ at: "40000", text: 7 })).toEqual({ at: 40_000, text: "7" });
  expect(readTranscriptSearch({ at: -1, text: "" })).toEqual({});
});

it("shows what an edit changes and a little around it", () => {
  const old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const lines = linesOfEdit(old, old.replace("5", "five"));
  expect(lines.map((line) => line.sign + line.text)).toEqual([" 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"]);
  expect(linesOfEdit(null, "new\n")).toEqual([{ sign: "+", text: "new" }]);
});

it("finds edits in the arguments of tools", () => {
  const call = (name: string, input: unknown) => ({ kind: "tool_call" as const, id: "1", name, input });
  const patch = "*** Begin Patch\n*** Update File: a.js\n@@\n x\n-old\n+new\n*** Add File: b.js\n+all\n*** End Patch";
  expect(editsOfCall(call("apply_patch", { patch })).map((edit) => [edit.path, edit.lines.length])).toEqual([
    ["a.js", 3],
    ["b.js", 1],
  ]);
  expect(editsOfCall(call("Edit", { file_path: "c", old_string: "1", new_string: "2" }))).toHaveLength(1);
  expect(editsOfCall(call("Read", { path: "c" }))).toEqual([]);
  expect(aboutCall(call("Bash", { cmd: "npm test\nmore" }))).toBe("npm test");
  expect(aboutCall(call("apply_patch", { patch }))).toBe("a.js, b.js");
});

it("completes a slash only at the beginning", () => {
  expect(slashPrefix("/te")).toBe("te");
  expect(slashPrefix("/")).toBe("");
  expect(slashPrefix("/test now")).toBeNull();
  expect(slashPrefix("see /te")).toBeNull();
  expect(slashPrefix("/usr/bin")).toBeNull();
});
