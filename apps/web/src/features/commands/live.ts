import type { LiveHandler } from "@/api/live/handlers";

import { commandKeys } from "./api";

export const commandsHandler: LiveHandler = (message, cache) => {
  if (message.kind !== "event") return;
  const { type } = message.event.body;
  if (type === "command_allowed" || type === "command_forgotten") void cache.invalidateQueries({ queryKey: commandKeys.all });
};
