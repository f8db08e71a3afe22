import { afterEach, expect, it, vi } from "vitest";

import { isBlob } from "./blob";

afterEach(() => vi.unstubAllGlobals());

it("knows a content by the name that git gives it", async () => {
  expect(await isBlob("hello\n", "ce01362")).toBe(true);
  expect(await isBlob("hello", "ce01362")).toBe(false);
});

it("does not claim to know where the browser cannot tell", async () => {
  vi.stubGlobal("crypto", {});
  expect(await isBlob("hello\n", "ce01362")).toBeNull();
});
