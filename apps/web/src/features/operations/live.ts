import type { LiveHandler } from "@/api/live/handlers";

import { type RecentOperation, SHOWN, operationKeys, operationOf } from "./api";

/** Puts what was done on top of the list. */
export const operationsHandler: LiveHandler = (message, cache) => {
  if (message.kind !== "event") return;
  const operation = operationOf(message.event);
  if (!operation) return;
  cache.setQueryData<{ seq: number; operations: RecentOperation[] }>(operationKeys.recent, (known) =>
    known && known.seq < operation.seq ? { seq: operation.seq, operations: [operation, ...known.operations].slice(0, SHOWN) } : known,
  );
};
