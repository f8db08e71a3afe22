import { expect, it } from "vitest";

import { browserAccess, tokenIn } from "./access";

const TOKEN = "0123456789abcdef0123456789abcdef";

function storage() {
  const values = new Map<string, string>();
  return {
    get: (key: string) => values.get(key) ?? null,
    set: (key: string, value: string) => void values.set(key, value),
    remove: (key: string) => void values.delete(key),
  };
}

it("takes the token out of the address", () => {
  window.history.replaceState(null, "", `/?text=x#token=${TOKEN}`);
  const access = browserAccess(storage());
  expect(access.token()).toBe(TOKEN);
  expect(window.location.href).not.toContain(TOKEN);
  expect(window.location.search).toBe("?text=x");
});

it("reads a pasted token or address", () => {
  expect(tokenIn(` ${TOKEN}\n`)).toBe(TOKEN);
  expect(tokenIn(`http://127.0.0.1:4870/#token=${TOKEN}`)).toBe(TOKEN);
  expect(tokenIn("hello there")).toBeNull();
});

it("tells when it was refused", () => {
  const access = browserAccess(storage());
  let told = 0;
  access.subscribe(() => (told += 1));
  access.grant(TOKEN);
  access.revoke();
  expect(access.isGranted()).toBe(false);
  expect(told).toBe(2);
});
