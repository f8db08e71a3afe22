import { Button, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { jobsQuery } from "@/api/queries/jobs";
import { logQuery, operationsQuery } from "@/api/queries/session-history";
import type { SessionDetail } from "@/api/types";
import { FailedState, SkeletonRows } from "@/ui/states";

import { ACTIONS, type ActionId } from "../actions";
import { timelineOf } from "../model";
import { Charts } from "./charts";
import type { Place } from "./dialogs/dialog-props";
import classes from "./session.module.css";
import { Timeline } from "./timeline";

type Props = {
  detail: SessionDetail;
  pending: ActionId | null;
  /** Why an action cannot be done now; `null` if it can. */
  obstacle: (action: ActionId) => string | null;
  onRun: (action: ActionId) => void;
  onShow: (place: Place & { iteration?: number }) => void;
};

const BUTTONS: readonly ActionId[] = ["iterate", "test", "commit", "squash", "merge", "pull_request", "export", "cleanup", "undo"];
const SHORT: Partial<Record<ActionId, string>> = { pull_request: "PR", commit: "Commit changes" };

/** What can be done, what it cost, and what happened. */
export function SidePanel({ detail, pending, obstacle, onRun, onShow }: Props) {
  const { session } = detail;
  const log = useQuery(logQuery(session.id));
  const operations = useQuery(operationsQuery(session.id));
  return (
    <aside className={classes.side} aria-label="Actions and timeline">
      <div className={classes.actions}>
        {BUTTONS.map((action) => {
          const why = obstacle(action);
          return (
            <Button
              key={action}
              variant={action === "merge" ? "light" : "default"}
              size="compact-sm"
              className={classes.action}
              loading={pending === action}
              disabled={why !== null}
              title={why ?? `${ACTIONS[action].title} (${ACTIONS[action].keys?.replace(" ", ", then ") ?? ""})`}
              onClick={() => onRun(action)}
            >
              {SHORT[action] ?? ACTIONS[action].title}
            </Button>
          );
        })}
      </div>
      <RunningJobs session={session.id} />
      {log.data && <Charts iterations={log.data.iterations} />}
      {log.isPending && <SkeletonRows count={6} />}
      {log.isLoadingError && <FailedState isSmall title="The history cannot be read" failure={asApiError(log.error)} onRetry={() => void log.refetch()} />}
      {log.data && (
        <Timeline
          entries={timelineOf(log.data, operations.data?.operations ?? [])}
          nextUndo={operations.data?.next_undo ?? null}
          nextRedo={operations.data?.next_redo ?? null}
          onRun={onRun}
          onShow={onShow}
        />
      )}
    </aside>
  );
}

/** Long work on this session, whoever asked for it: another tab, or this one before it was loaded again. */
function RunningJobs({ session }: { session: string }) {
  const jobs = useQuery(jobsQuery());
  const running = (jobs.data?.jobs ?? []).filter((job) => job.session_id === session && job.state === "running");
  if (running.length === 0) return null;
  return (
    <ul className={classes.jobs} aria-label="In progress" aria-live="polite">
      {running.map((job) => (
        <li key={job.id}>
          <Loader size={12} />
          <span>{job.operation.replace("_session", "").replaceAll("_", " ")}</span>
          <span className="quiet truncate">{job.steps.at(-1)}</span>
        </li>
      ))}
    </ul>
  );
}
