import { Badge } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";

import type { Session, SessionStatus } from "@/api/types";
import { CostFigure } from "@/ui/figures";
import { baseName } from "@/ui/format";
import { StatusBadge } from "@/ui/status-badge";

import { evidenceOf } from "../model";
import { LastRunCell, LinesCell, useTotals } from "./cells";
import classes from "./home.module.css";
import type { SearchProps } from "./home";
import { useListKeys } from "./use-list-keys";

const CARD = 92;
const GAP = 8;

/** Columns by what a session waits for. */
const COLUMNS: readonly { title: string; statuses: readonly SessionStatus[] }[] = [
  { title: "Needs you", statuses: ["awaiting_input", "conflicted", "error", "interrupted", "unknown"] },
  { title: "Waiting", statuses: ["initializing", "queued", "blocked"] },
  { title: "Working", statuses: ["running", "evaluating"] },
  { title: "Idle", statuses: ["idle"] },
  { title: "Completed", statuses: ["completed"] },
];

type Props = SearchProps & { sessions: readonly Session[] };

/** Sessions side by side, by status. */
export function Board({ sessions }: Props) {
  const navigate = useNavigate();
  const columns = useMemo(() => COLUMNS.map(({ title, statuses }) => ({ title, sessions: sessions.filter((it) => statuses.includes(it.status)) })), [sessions]);
  const [at, setAt] = useState<{ column: number; row: number } | null>(null);
  const clamp = (column: number, row: number) => ({ column, row: Math.max(0, Math.min((columns[column]?.sessions.length ?? 1) - 1, row)) });
  const aside = (step: number) => {
    let column = (at?.column ?? -1) + step;
    while (columns[column]?.sessions.length === 0) column += step;
    if (columns[column]) setAt(clamp(column, at?.row ?? 0));
  };
  useListKeys({
    onMove: (step) => (at ? setAt(clamp(at.column, at.row + step)) : aside(1)),
    onAside: aside,
    onOpen: () => {
      const session = at && columns[at.column]?.sessions[at.row];
      if (session) void navigate({ to: "/sessions/$session", params: { session: session.id } });
    },
  });
  return (
    <div className={classes.board}>
      {columns.map(({ title, sessions }, index) => (
        <Column key={title} title={title} sessions={sessions} current={at?.column === index ? at.row : undefined} />
      ))}
    </div>
  );
}

function Column({ title, sessions, current }: { title: string; sessions: readonly Session[]; current: number | undefined }) {
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- cards come from the virtualizer, so it must not be memoised
  const virtual = useVirtualizer({ count: sessions.length, getScrollElement: () => scroller.current, estimateSize: () => CARD + GAP, overscan: 4 });
  useEffect(() => {
    if (current !== undefined) virtual.scrollToIndex(current, { align: "auto" });
  }, [current, virtual]);
  return (
    <section className={classes.column} aria-label={title}>
      <h2 className={classes.columnHead}>
        {title}
        <Badge color="gray">{sessions.length}</Badge>
      </h2>
      <div ref={scroller} className={classes.columnBody}>
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const session = sessions[index];
            return session && <Card key={session.id} session={session} start={start} isAt={index === current} />;
          })}
        </div>
      </div>
    </section>
  );
}

function Card({ session, start, isAt }: { session: Session; start: number; isAt: boolean }) {
  const cost = useTotals(session)?.cost;
  return (
    <Link
      to="/sessions/$session"
      params={{ session: session.id }}
      className={classes.card}
      aria-current={isAt || undefined}
      style={{ height: CARD, transform: `translateY(${start}px)` }}
    >
      <span className={classes.cardHead}>
        <strong className="truncate" title={session.name}>
          {session.name}
        </strong>
        <span>
          <LastRunCell session={session} />
        </span>
      </span>
      <span className="quiet truncate">
        {baseName(session.repo_root)} · {evidenceOf(session) ?? session.prompt}
      </span>
      <span className={classes.cardFoot}>
        <StatusBadge status={session.status} evidence={evidenceOf(session)} />
        <LinesCell session={session} />
        {cost != null && <CostFigure cost={cost} />}
      </span>
    </Link>
  );
}
