import { Checkbox } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";

import type { Session } from "@/api/types";
import { StatusBadge } from "@/ui/status-badge";
import { type Column, VirtualTable } from "@/ui/virtual-table";

import { type Sort, evidenceOf, writeSelected } from "../model";
import { AgentCell, CostCell, DiskCell, DurationCell, LastRunCell, LinesCell, NameCell, RepositoryCell, TokensCell } from "./cells";
import type { SearchProps } from "./home";
import { useListKeys } from "./use-list-keys";

type Props = SearchProps & { sessions: Session[]; selected: Session[] };

export function SessionTable({ sessions, selected, search, onSearch }: Props) {
  const navigate = useNavigate();
  const [at, setAt] = useState(-1);
  const chosen = useMemo(() => new Set(selected.map((session) => session.id)), [selected]);
  const choose = (ids: Iterable<string>) => onSearch({ ...search, selected: writeSelected(ids) });
  const toggle = (id: string) => choose(chosen.has(id) ? [...chosen].filter((it) => it !== id) : [...chosen, id]);
  const open = (session: Session) => void navigate({ to: "/sessions/$session", params: { session: session.id } });
  const current = Math.min(at, sessions.length - 1);
  useListKeys({
    onMove: (step) => setAt(Math.max(0, Math.min(sessions.length - 1, current + step))),
    onOpen: () => {
      const session = sessions[current];
      if (session) open(session);
    },
    onToggle: () => {
      const session = sessions[current];
      if (session) toggle(session.id);
    },
    onAll: () => choose(sessions.map((session) => session.id)),
    onClear: () => choose([]),
  });
  const sortBy = (sort: Sort): Column<Session>["sort"] => {
    const isThis = search.sort === sort;
    return {
      direction: isThis ? (search.reverse ? "descending" : "ascending") : null,
      // First this way, then the other, then as usual.
      onClick: () => onSearch({ ...search, sort: isThis && search.reverse ? undefined : sort, reverse: isThis && !search.reverse ? true : undefined }),
    };
  };
  const allChosen = selected.length === sessions.length;
  const columns: Column<Session>[] = [
    {
      key: "choose",
      title: (
        <Checkbox
          aria-label="Select all"
          checked={allChosen}
          indeterminate={selected.length > 0 && !allChosen}
          onChange={() => choose(allChosen ? [] : sessions.map((session) => session.id))}
        />
      ),
      width: "16px",
      render: (session) => <Checkbox aria-label={`Select ${session.name}`} checked={chosen.has(session.id)} onChange={() => toggle(session.id)} />,
    },
    { key: "status", title: "Status", width: "128px", sort: sortBy("status"), render: (session) => <StatusBadge status={session.status} evidence={evidenceOf(session)} /> },
    { key: "name", title: "Session", width: "minmax(150px, 5fr)", sort: sortBy("name"), render: (session) => <NameCell session={session} /> },
    { key: "repository", title: "Repository", width: "minmax(70px, 1fr)", sort: sortBy("repository"), render: (session) => <RepositoryCell session={session} /> },
    { key: "agent", title: "Agent", width: "minmax(60px, 1fr)", sort: sortBy("agent"), render: (session) => <AgentCell session={session} /> },
    { key: "last_run", title: "Last run", width: "72px", align: "right", sort: sortBy("last_run"), render: (session) => <LastRunCell session={session} /> },
    { key: "duration", title: "Duration", width: "64px", align: "right", render: (session) => <DurationCell session={session} /> },
    { key: "tokens", title: "Tokens", width: "56px", align: "right", render: (session) => <TokensCell session={session} /> },
    { key: "cost", title: "Cost", width: "56px", align: "right", render: (session) => <CostCell session={session} /> },
    { key: "lines", title: "Lines", width: "80px", align: "right", render: (session) => <LinesCell session={session} /> },
    { key: "disk", title: "Disk", width: "56px", align: "right", sort: sortBy("disk"), render: (session) => <DiskCell session={session} /> },
  ];
  return (
    <VirtualTable
      label="Sessions"
      rows={sessions}
      rowKey={(session) => session.id}
      columns={columns}
      current={current}
      isSelected={(session) => chosen.has(session.id)}
      onOpen={(session, { isNewTab }) => {
        if (isNewTab) window.open(`/sessions/${session.id}`, "_blank", "noopener");
        else open(session);
      }}
    />
  );
}
