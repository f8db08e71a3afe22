import type { QueryClient } from "@tanstack/react-query";

import { type LiveHandler, connectCache } from "@/api/live/handlers";
import { commandsHandler } from "@/api/queries/commands";
import { jobsHandler } from "@/api/queries/jobs";
import { queueHandler } from "@/api/queries/queue";
import { historyHandler } from "@/api/queries/session-history";
import { sessionHandler } from "@/api/queries/session-live";
import { templateHandler } from "@/api/queries/templates";
import { transcriptHandler } from "@/api/queries/transcript";
import { worktreesHandler } from "@/api/queries/worktrees";
import { conflictHandler } from "@/features/conflicts/live";
import { metricsHandler } from "@/features/dashboard/live";
import { dataHandler } from "@/features/data/live";
import { diffHandler } from "@/features/diff/live";
import { leasesHandler } from "@/features/leases/live";
import { notificationHandler } from "@/features/notifications/live";
import { operationsHandler } from "@/features/operations/live";
import { repositoriesHandler } from "@/features/repositories/live";
import { scriptHandler } from "@/features/scripts/live";
import { trashHandler } from "@/features/trash/live";

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
