import type { LiveHandler } from "@/api/live/handlers";

import { metricsKeys } from "./api";

/** Figures change when iterations begin and end. */
export const metricsHandler: LiveHandler = (message, cache) => {
  if (message.kind !== "event") return;
  const { type } = message.event.body;
  if (type === "iteration_started" || type === "iteration_finished") void cache.invalidateQueries({ queryKey: metricsKeys.all });
};
