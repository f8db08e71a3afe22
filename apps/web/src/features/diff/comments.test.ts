import { beforeEach, expect, it, vi } from "vitest";

import { setPlatform } from "@/platform/current";
import { FakeApi } from "@/testing/fake-api";

import { commentsOf, followUp, removeComments, saveComment } from "./comments";

beforeEach(() => setPlatform(new FakeApi().platform()));

const comment = { path: "src/a.js", side: "new" as const, from: 4, to: 5, quote: "one\ntwo", text: "Why?" };

it("keeps comments in the order of files and lines", () => {
  saveComment("s", { ...comment, path: "b.js" });
  saveComment("s", { ...comment, from: 9, to: 9 });
  saveComment("s", comment);
  expect(commentsOf("s").map((it) => `${it.path}:${it.to}`)).toEqual(["b.js:5", "src/a.js:5", "src/a.js:9"]);
  expect(commentsOf("other")).toEqual([]);
  removeComments("s", commentsOf("s"));
  expect(commentsOf("s")).toEqual([]);
});

it("keeps comments where the page came without TLS", () => {
  vi.stubGlobal("crypto", { getRandomValues: crypto.getRandomValues.bind(crypto) });
  try {
    saveComment("s", comment);
    saveComment("s", { ...comment, from: 9, to: 9 });
    expect(new Set(commentsOf("s").map((it) => it.id)).size).toBe(2);
  } finally {
    vi.unstubAllGlobals();
  }
});

it("writes a comment again instead of twice", () => {
  saveComment("s", { ...comment, id: "1" });
  saveComment("s", { ...comment, id: "1", text: "Because?" });
  expect(commentsOf("s").map((it) => it.text)).toEqual(["Because?"]);
});

it("quotes file, lines and text in one follow-up", () => {
  const text = followUp([{ ...comment, id: "1" }, { ...comment, id: "2", side: "old", from: 7, to: 7, quote: "gone", text: "Bring it back" }], "Be quick");
  expect(text).toContain("these 2 comments");
  expect(text).toContain("Be quick");
  expect(text).toContain("src/a.js, lines 4-5:\n> one\n> two\n\nWhy?");
  expect(text).toContain("src/a.js, line 7, as it was before your changes:\n> gone\n\nBring it back");
  expect(text.startsWith("/")).toBe(false);
});
