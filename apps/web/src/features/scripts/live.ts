import type { LiveHandler } from "@/api/live/handlers";
import { scriptRunsKey } from "@/api/queries/script-runs";
import type { LogEventType } from "@/api/types";

import { scriptKeys } from "./api";

const RELEVANT: ReadonlySet<LogEventType> = new Set(["script_started", "script_finished", "server_ready", "server_late", "ports_moved"]);

/** Keeps lists of runs and servers true. */
export const scriptHandler: LiveHandler = (message, cache) => {
  if (message.kind !== "event" || message.event.session == null) return;
  const { session, body } = message.event;
  if (!RELEVANT.has(body.type)) return;
  void cache.invalidateQueries({ queryKey: scriptRunsKey(session) });
  void cache.invalidateQueries({ queryKey: scriptKeys.servers(session) });
};
