import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

import type { LogEvent, LogEventType } from "../types";
import { live } from "./hub";
import type { LivePhase } from "./message";

/** Whether what is shown is up to date. */
export function useLivePhase(): LivePhase {
  return useSyncExternalStore(live.subscribePhase, () => live.phase);
}

type Filter = { session?: string; types?: readonly LogEventType[] };

/**
 * Hears events while a component is there: for what is no data of the server, such as following a text to its end. Data
 * belongs into the query cache, see `LiveHandler`.
 */
export function useLiveEvents(filter: Filter, onEvents: (events: LogEvent[]) => void): void {
  const { session, types } = filter;
  const isWanted = useEffectEvent((event: LogEvent) => {
    if (session !== undefined && event.session !== session) return false;
    return types === undefined || types.includes(event.body.type);
  });
  const tell = useEffectEvent(onEvents);
  useEffect(
    () =>
      live.listen((messages) => {
        const events = messages.flatMap((message) => (message.kind === "event" && isWanted(message.event) ? [message.event] : []));
        if (events.length > 0) tell(events);
      }),
    [],
  );
}
