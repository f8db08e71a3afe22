import type { QueryClient } from "@tanstack/react-query";

import type { LiveHandler } from "../live/handlers";
import type { LogEvent } from "../types";
import { dropSession, patchSession } from "./session-cache";
import { SessionRefresher } from "./session-refresher";
import { sessionKeys } from "./sessions";

/** Soon: the user looks at it. */
const SOON_MS = 150;
/** Figures of a session that streams. */
const STREAMING_MS = 3_000;
/** When git had news about more sessions than this, one list is less work than asking about each. */
const MANY = 40;

/** Keeps lists and details of sessions true. */
export function sessionHandler(cache: QueryClient): LiveHandler {
  const refresher = new SessionRefresher(cache);
  const about = (event: LogEvent, id: string) => {
    switch (event.body.type) {
      case "session_status_changed":
        patchSession(cache, id, { status: event.body.to });
        refresher.ask(id, SOON_MS);
        break;
      case "session_forgotten":
        dropSession(cache, id);
        return;
      case "transcript_appended":
        refresher.ask(id, STREAMING_MS);
        return;
      case "tool_called":
      case "toolbox_resolved":
        return;
      case "iteration_queued":
      case "iteration_started":
      case "iteration_finished":
      case "iteration_parked":
      case "iteration_resumed":
        void cache.invalidateQueries({ queryKey: sessionKeys.iterations(id) });
        refresher.ask(id, SOON_MS);
        break;
      default:
        refresher.ask(id, SOON_MS);
    }
    // What a detail has beside the session is known to nobody else.
    void cache.invalidateQueries({ queryKey: sessionKeys.detail(id) });
  };
  return (message) => {
    switch (message.kind) {
      case "event":
        if (message.event.session != null) about(message.event, message.event.session);
        return;
      case "facts":
        if (message.sessionIds.length > MANY) void cache.invalidateQueries({ queryKey: sessionKeys.lists });
        else for (const id of message.sessionIds) refresher.ask(id, SOON_MS);
        for (const id of message.sessionIds) void cache.invalidateQueries({ queryKey: sessionKeys.detail(id) });
        return;
      case "begin":
        // What git said meanwhile was told to nobody.
        if (message.wasLost) void cache.invalidateQueries({ queryKey: sessionKeys.lists });
        return;
      case "job":
      case "reset":
    }
  };
}
