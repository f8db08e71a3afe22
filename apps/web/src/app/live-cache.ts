import type { QueryClient } from "@tanstack/react-query";

import { type LiveHandler, connectCache } from "@/api/live/handlers";
import { sessionHandler } from "@/api/queries/session-live";
import { templateHandler } from "@/api/queries/templates";
import { transcriptHandler } from "@/api/queries/transcript";
import { conflictHandler } from "@/features/conflicts/live";
import { diffHandler } from "@/features/diff/live";
import { notificationHandler } from "@/features/notifications/live";
import { scriptHandler } from "@/features/scripts/live";
import { historyHandler } from "@/features/session/live";
import { queueHandler } from "@/features/transcript/live";

/** Everybody who brings events into the cache. A feature adds its handler here. */
function handlers(cache: QueryClient): LiveHandler[] {
  return [sessionHandler(cache), templateHandler, transcriptHandler, notificationHandler, diffHandler(cache), conflictHandler(cache), historyHandler, queueHandler, scriptHandler];
}

export function followEvents(cache: QueryClient): () => void {
  return connectCache(cache, handlers(cache));
}
