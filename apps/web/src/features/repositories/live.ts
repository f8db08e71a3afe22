import type { LiveHandler } from "@/api/live/handlers";
import { repositoryKeys } from "@/api/queries/repositories";
import type { LogEventType } from "@/api/types";

const TELLING: ReadonlySet<LogEventType> = new Set(["session_created", "session_forgotten", "session_archived"]);

/** Counts of sessions change with them. */
export const repositoriesHandler: LiveHandler = (message, cache) => {
  if (message.kind === "event" && TELLING.has(message.event.body.type)) void cache.invalidateQueries({ queryKey: repositoryKeys.list });
};
