import type { QueryClient } from "@tanstack/react-query";

import { type LiveHandler, connectCache } from "@/api/live/handlers";
import { sessionHandler } from "@/api/queries/session-live";
import { templateHandler } from "@/api/queries/templates";
import { notificationHandler } from "@/features/notifications/live";

/** Everybody who brings events into the cache. A feature adds its handler here. */
function handlers(cache: QueryClient): LiveHandler[] {
  return [sessionHandler(cache), templateHandler, notificationHandler];
}

export function followEvents(cache: QueryClient): () => void {
  return connectCache(cache, handlers(cache));
}
