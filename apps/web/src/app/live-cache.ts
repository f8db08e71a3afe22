import type { QueryClient } from "@tanstack/react-query";

import { type LiveHandler, connectCache } from "@/api/live/handlers";
import { queueHandler } from "@/api/queries/queue";
import { sessionHandler } from "@/api/queries/session-live";
import { templateHandler } from "@/api/queries/templates";
import { transcriptHandler } from "@/api/queries/transcript";
import { commandsHandler } from "@/features/commands/live";
import { conflictHandler } from "@/features/conflicts/live";
import { metricsHandler } from "@/features/dashboard/live";
import { dataHandler } from "@/features/data/live";
import { diffHandler } from "@/features/diff/live";
import { leasesHandler } from "@/features/leases/live";
import { notificationHandler } from "@/features/notifications/live";
import { operationsHandler } from "@/features/operations/live";
import { jobsHandler } from "@/features/queue/live";
import { repositoriesHandler } from "@/features/repositories/live";
import { scriptHandler } from "@/features/scripts/live";
import { historyHandler } from "@/features/session/live";
import { trashHandler } from "@/features/trash/live";
import { worktreesHandler } from "@/features/worktrees/live";

/** Everybody who brings events into the cache. A feature adds its handler here. */
function handlers(cache: QueryClient, open: (session: string) => void): LiveHandler[] {
  return [
    sessionHandler(cache),
    templateHandler,
    transcriptHandler,
    notificationHandler(cache, open),
    commandsHandler,
    conflictHandler(cache),
    metricsHandler,
    dataHandler,
    diffHandler(cache),
    historyHandler,
    leasesHandler,
    operationsHandler,
    queueHandler,
    jobsHandler,
    repositoriesHandler,
    scriptHandler,
    trashHandler,
    worktreesHandler,
  ];
}

/** Begins to bring events into the cache. `open` leads to a session that a notification is about. */
export function followEvents(cache: QueryClient, open: (session: string) => void): () => void {
  return connectCache(cache, handlers(cache, open));
}
