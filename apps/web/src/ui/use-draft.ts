import { useState } from "react";

import { platform } from "@/platform/current";

/** Longer texts are not kept: a browser has room for a few megabytes in all. */
const LONGEST = 200_000;

type Stored = { from: string; text: string };

const keyOf = (name: string) => `orchestra.draft.${name}`;

function stored(name: string, from: string): string | null {
  try {
    const value = JSON.parse(platform().storage.get(keyOf(name)) ?? "null") as Stored | null;
    // What began with another text belongs to that one.
    return value?.from === from ? value.text : null;
  } catch {
    return null;
  }
}

/** A text that is being written, beginning with `from`. It outlives the page until it is dropped. */
export function useDraft(name: string, from: string): { text: string; write: (text: string) => void } {
  const [text, setText] = useState(() => stored(name, from) ?? from);
  const write = (next: string) => {
    setText(next);
    if (next === from) dropDraft(name);
    else if (next.length + from.length < LONGEST) platform().storage.set(keyOf(name), JSON.stringify({ from, text: next } satisfies Stored));
  };
  return { text, write };
}

export function dropDraft(name: string): void {
  platform().storage.remove(keyOf(name));
}
