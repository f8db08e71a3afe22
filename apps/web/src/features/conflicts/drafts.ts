/** Results that are being written. They outlive the page until the file is decided. */
import { useState } from "react";

import { platform } from "@/platform/current";

const key = (session: string, path: string) => `orchestra.result.${session}.${path}`;

type Stored = { from: string; text: string };

function stored(session: string, path: string, from: string): string | null {
  try {
    const value = JSON.parse(platform().storage.get(key(session, path)) ?? "null") as Stored | null;
    // Of another beginning it is another conflict.
    return value?.from === from ? value.text : null;
  } catch {
    return null;
  }
}

/** The text that a result begins with, or what was made of it so far. */
export function useResult(session: string, path: string, from: string): { text: string; isChanged: boolean; write: (text: string) => void } {
  const [text, setText] = useState(() => stored(session, path, from) ?? from);
  return {
    text,
    isChanged: text !== from,
    write: (next) => {
      setText(next);
      const value: Stored = { from, text: next };
      platform().storage.set(key(session, path), JSON.stringify(value));
    },
  };
}

export function dropResult(session: string, path: string): void {
  platform().storage.remove(key(session, path));
}
