import type { Access, Storage } from "../platform";

const KEY = "orchestra.token";

/** The token of `orchestra serve`: it comes behind the `#` of the address and stays in the storage of this origin. */
export function browserAccess(storage: Storage): Access & { token(): string | null } {
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const access = {
    token: () => storage.get(KEY),
    isGranted: () => storage.get(KEY) !== null,
    grant: (text: string) => {
      const token = tokenIn(text);
      if (token === null) return false;
      storage.set(KEY, token);
      changed();
      return true;
    },
    revoke: () => {
      storage.remove(KEY);
      changed();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  takeFromAddress(access.grant);
  // Another tab may have been let in, or a new address was typed into this one.
  window.addEventListener("storage", (event) => {
    if (event.key === KEY) changed();
  });
  window.addEventListener("hashchange", () => takeFromAddress(access.grant));
  return access;
}

/** The token is gone from the address, and from the history, before anything else happens. */
function takeFromAddress(grant: (text: string) => boolean): void {
  if (!window.location.hash.startsWith("#token=")) return;
  const fragment = window.location.hash;
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  grant(fragment);
}

/** The token in what somebody pasted: itself, or the address that `serve` prints. */
export function tokenIn(text: string): string | null {
  const given = /#token=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
  return /^[\w-]{16,}$/.test(given) ? given : null;
}
