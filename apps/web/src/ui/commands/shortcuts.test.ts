import { expect, it } from "vitest";

import { match } from "./match";
import { chordOf } from "./shortcuts";

const pressed = (key: string, more: Partial<Record<"ctrlKey" | "metaKey" | "altKey" | "shiftKey", boolean>> = {}) =>
  chordOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

it("writes keys as commands name them", () => {
  expect(pressed("k", { ctrlKey: true })).toBe("mod+k");
  expect(pressed("k", { metaKey: true })).toBe("mod+k");
  expect(pressed("?", { shiftKey: true })).toBe("?");
  expect(pressed("X", { shiftKey: true })).toBe("shift+x");
  expect(pressed(" ")).toBe("space");
});

it("finds by words in any order and prefers beginnings", () => {
  expect(match("form login", "Fix the login form")).not.toBeNull();
  expect(match("zebra", "Fix the login form")).toBeNull();
  expect(match("fix", "Fix the login form") ?? 0).toBeGreaterThan(match("fix", "prefix") ?? 0);
});
