import { useState } from "react";

import { platform } from "@/platform/current";

const KEY = "orchestra.session.panels";

export type Panels = { isLeftShown: boolean; isRightShown: boolean };

/** Which sides of the page are shown; the browser remembers it. */
export function usePanels() {
  const [panels, setPanels] = useState<Panels>(() => {
    const stored = platform().storage.get(KEY) ?? "lr";
    return { isLeftShown: stored.includes("l"), isRightShown: stored.includes("r") };
  });
  const change = (next: Panels) => {
    setPanels(next);
    platform().storage.set(KEY, `${next.isLeftShown ? "l" : ""}${next.isRightShown ? "r" : ""}-`);
  };
  return {
    ...panels,
    toggleLeft: () => change({ ...panels, isLeftShown: !panels.isLeftShown }),
    toggleRight: () => change({ ...panels, isRightShown: !panels.isRightShown }),
  };
}
