import { expect, it, vi } from "vitest";

import { browserPlatform } from "./browser";

it("keeps a value for as long as the page when the storage is full", () => {
  const { storage } = browserPlatform();
  storage.set("draft", "old");
  const full = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  storage.set("draft", "new");
  expect(storage.get("draft")).toBe("new");
  full.mockRestore();
  storage.set("draft", "newest");
  expect(localStorage.getItem("draft")).toBe("newest");
  expect(storage.get("draft")).toBe("newest");
  storage.remove("draft");
  expect(storage.get("draft")).toBeNull();
});
