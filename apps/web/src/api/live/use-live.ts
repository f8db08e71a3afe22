import { useSyncExternalStore } from "react";

import { live } from "./hub";
import type { LivePhase } from "./message";

/** Whether what is shown is up to date. */
export function useLivePhase(): LivePhase {
  return useSyncExternalStore(live.subscribePhase, () => live.phase);
}
