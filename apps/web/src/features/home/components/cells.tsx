import { Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import type { Session } from "@/api/types";
import { Bytes, CostFigure, Duration, RelativeTime, Tokens, Unknown } from "@/ui/figures";
import { baseName, formatCount, plural } from "@/ui/format";

import { earlierQuery, linesQuery } from "../api";
import { type Totals, totalsOf } from "../model";
import classes from "./home.module.css";

/** A row that is only passed by asks nothing. */
const LINGER_MS = 250;

function useLingers(): boolean {
  const [isThere, setIsThere] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsThere(true), LINGER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isThere;
}

/** Sums over all iterations; `null` until the earlier ones were read. */
export function useTotals(session: Session): Totals | null {
  const hasEarlier = (session.last_iteration?.number ?? 0) > 1;
  const isThere = useLingers();
  const { data, isError } = useQuery({ ...earlierQuery(session), enabled: hasEarlier && isThere });
  if (hasEarlier && !data) return isError ? { usage: null, cost: null, durationMs: null } : null;
  return totalsOf(session, data?.iterations ?? []);
}

export function NameCell({ session }: { session: Session }) {
  return (
    <span className={classes.name}>
      <Link to="/sessions/$session" params={{ session: session.id }}>
        {session.name}
      </Link>
      <span className="quiet truncate">{session.prompt}</span>
    </span>
  );
}

export function RepositoryCell({ session }: { session: Session }) {
  return <span title={`${session.repo_root}, ${session.branch_name} from ${session.base_branch}`}>{baseName(session.repo_root)}</span>;
}

export function AgentCell({ session }: { session: Session }) {
  const model = session.model ?? session.last_iteration?.model;
  return (
    <span title={model ?? undefined}>
      {session.agent}
      {model != null && <span className="quiet"> {model}</span>}
    </span>
  );
}

export function LastRunCell({ session }: { session: Session }) {
  return session.last_run == null ? <Unknown why="It never ran" /> : <RelativeTime at={session.last_run} />;
}

const PENDING = <span className="quiet">…</span>;

export function TokensCell({ session }: { session: Session }) {
  const totals = useTotals(session);
  return totals ? <Tokens usage={totals.usage} /> : PENDING;
}

export function CostCell({ session }: { session: Session }) {
  const totals = useTotals(session);
  return totals ? <CostFigure cost={totals.cost} /> : PENDING;
}

/** While an iteration runs, its own time; else that of all. */
export function DurationCell({ session }: { session: Session }) {
  const totals = useTotals(session);
  const last = session.last_iteration;
  if (last && last.duration_ms == null && last.started_at != null && last.state !== "finished") return <Duration ms={null} since={last.started_at} />;
  return totals ? <Duration ms={totals.durationMs} /> : PENDING;
}

/** Lines added and removed since the base. */
export function LinesCell({ session }: { session: Session }) {
  const isThere = useLingers();
  const hasFiles = !session.in_trash && session.worktree_deleted_at == null;
  const { data, isError } = useQuery({ ...linesQuery(session), enabled: isThere && hasFiles });
  if (!hasFiles) return <Unknown why="Its worktree is in the trash" />;
  if (isError) return <Unknown why="Git could not tell" />;
  if (!data) return PENDING;
  if (data.files === 0) return <span className="quiet">no changes</span>;
  return (
    <Tooltip label={`${plural(data.files, "file")} since ${session.base_branch}${session.dirty === true ? ", some uncommitted" : ""}`}>
      <span className={classes.lines}>
        <span className={classes.plus}>+{formatCount(data.insertions)}</span>
        <span className={classes.minus}>−{formatCount(data.deletions)}</span>
      </span>
    </Tooltip>
  );
}

export function DiskCell({ session }: { session: Session }) {
  if (session.disk == null) return <Unknown why="Not counted yet" />;
  return <Bytes value={session.disk.own_bytes} />;
}
