import { useQuery } from "@tanstack/react-query";

import { queueQuery } from "@/api/queries/queue";
import type { Session } from "@/api/types";
import { RelativeTime } from "@/ui/figures";
import { STATUS_LOOKS } from "@/ui/session-status";

/** What the session waits for, and its place if that is the queue. */
export function QueuePlace({ session }: { session: Session }) {
  const isQueued = session.status === "queued";
  const queue = useQuery({ ...queueQuery(), enabled: isQueued });
  if (session.status === "blocked" && session.last_iteration?.parked != null) {
    return (
      <span className="quiet">
        Tried again <RelativeTime at={session.last_iteration.parked.until} />
      </span>
    );
  }
  if (!isQueued) return <span className="quiet">{STATUS_LOOKS[session.status].meaning}</span>;
  const waiting = (queue.data?.queue ?? []).filter((row) => row.kind === "iteration" && row.iteration.state === "queued");
  const place = waiting.findIndex((row) => row.session_id === session.id);
  return <span className="quiet">{place === -1 ? STATUS_LOOKS.queued.meaning : `Place ${place + 1} of ${waiting.length} in the queue`}</span>;
}
