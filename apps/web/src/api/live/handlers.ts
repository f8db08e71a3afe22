import { type QueryClient, notifyManager } from "@tanstack/react-query";

import { live } from "./hub";
import type { LiveMessage } from "./message";

/** Brings what a message means into the query cache. Each feature has one; `app/live-cache.ts` lists them. */
export type LiveHandler = (message: LiveMessage, cache: QueryClient) => void;

/** The one place where events enter the cache. */
export function connectCache(cache: QueryClient, handlers: readonly LiveHandler[]): () => void {
  return live.listen((messages) => {
    notifyManager.batch(() => {
      for (const message of messages) {
        keepTrue(message, cache);
        for (const handle of handlers) handle(message, cache);
      }
    });
  });
}

/** Answers that are older than the beginning of the stream may lack something that it does not tell. */
function keepTrue(message: LiveMessage, cache: QueryClient): void {
  if (message.kind === "reset") {
    void cache.resetQueries();
  } else if (message.kind === "begin") {
    if (!message.wasLost) void cache.invalidateQueries({ predicate: (query) => isOlder(query.state.data, message.seq) });
    // What failed while nobody answered is asked again.
    void cache.refetchQueries({ type: "active", predicate: (query) => query.state.status === "error" });
  }
}

function isOlder(data: unknown, seq: number): boolean {
  return typeof data === "object" && data !== null && "seq" in data && typeof data.seq === "number" && data.seq < seq;
}
