import type { LiveHandler } from "@/api/live/handlers";

import { queueQuery } from "./api";

/** The place in the queue changes when anybody's iteration begins or ends. */
export const queuePlaceHandler: LiveHandler = (message, cache) => {
  if (message.kind !== "event" || !message.event.body.type.startsWith("iteration_")) return;
  void cache.invalidateQueries({ queryKey: queueQuery().queryKey });
};
