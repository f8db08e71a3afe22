import type { LiveHandler } from "@/api/live/handlers";

import { dataKeys } from "./api";

export const dataHandler: LiveHandler = (message, cache) => {
  if (message.kind === "event" && message.event.body.type === "data_removed") void cache.invalidateQueries({ queryKey: dataKeys.all });
};
