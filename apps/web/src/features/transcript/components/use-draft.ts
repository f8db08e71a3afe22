import { useState } from "react";

import { platform } from "@/platform/current";

/** A text that outlives the page until it is sent. */
export function useDraft(session: string): [string, (text: string) => void] {
  const key = `orchestra.draft.${session}`;
  const [text, setText] = useState(() => platform().storage.get(key) ?? "");
  const change = (next: string) => {
    setText(next);
    if (next === "") platform().storage.remove(key);
    else platform().storage.set(key, next);
  };
  return [text, change];
}
