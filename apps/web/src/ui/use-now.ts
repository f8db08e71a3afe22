import { useSyncExternalStore } from "react";

/** One clock for everything that shows a time: it ticks only while somebody looks. */
const listeners = new Set<() => void>();
let now = second();
let timer: ReturnType<typeof setInterval> | null = null;

/** Whole seconds, so that reading twice gives the same. */
function second(): number {
  return Math.floor(Date.now() / 1_000) * 1_000;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    if (document.hidden) return;
    now = second();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

function read(): number {
  // A clock that nobody heard for a while is late.
  if (timer === null) now = second();
  return now;
}

/** The time in milliseconds, to the second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, read);
}

const never = () => () => undefined;

/** Something derived from the time: renders again only when it changes. */
export function useFromNow<T extends string | number>(derive: (now: number) => T, isTicking = true): T {
  return useSyncExternalStore(isTicking ? subscribe : never, () => derive(read()));
}
