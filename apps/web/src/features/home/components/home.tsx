import { Button, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconPlus, IconStack2 } from "@tabler/icons-react";
import { useMemo, useState } from "react";

import { asApiError } from "@/api/error";
import { sessionsQuery } from "@/api/queries/sessions";
import type { Session } from "@/api/types";
import { EmptyState, FailedState, SkeletonRows } from "@/ui/states";

import { type HomeSearch, chooseSessions, isFiltered, readSelected } from "../model";
import { Board } from "./board";
import { BulkBar } from "./bulk-bar";
import { BulkCleanup } from "./bulk-cleanup";
import { BulkLand } from "./bulk-land";
import { FilterBar } from "./filter-bar";
import { SessionTable } from "./session-table";
import { TroubleBanner } from "./trouble-banner";

export type SearchProps = { search: HomeSearch; onSearch: (next: HomeSearch) => void };

/** Work on several sessions. The list may lose some of them meanwhile; those that were chosen stay. */
type Bulk = { act: "land" | "cleanup"; sessions: readonly Session[] };

/** Every session: what needs the user first. */
export function Home({ search, onSearch }: SearchProps) {
  const query = useQuery(sessionsQuery(search.archived ?? false));
  const all = query.data?.sessions;
  const sessions = useMemo(() => chooseSessions(all ?? [], search), [all, search]);
  const selected = useMemo(() => readSelected(search, sessions), [search, sessions]);
  const [bulk, setBulk] = useState<Bulk | null>(null);
  const endBulk = () => setBulk(null);
  return (
    <>
      <VisuallyHidden component="h1">Sessions</VisuallyHidden>
      <FilterBar all={all ?? []} shown={sessions.length} search={search} onSearch={onSearch} />
      {all && <TroubleBanner sessions={all} />}
      {query.isPending && <SkeletonRows count={16} />}
      {query.isError && !all && (
        <FailedState title="Sessions cannot be listed" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />
      )}
      {all && sessions.length === 0 && <Nothing search={search} onSearch={onSearch} />}
      {sessions.length > 0 &&
        (search.view === "board" ? (
          <Board sessions={sessions} search={search} onSearch={onSearch} />
        ) : (
          <SessionTable sessions={sessions} selected={selected} search={search} onSearch={onSearch} />
        ))}
      {selected.length > 0 && (
        <BulkBar
          sessions={selected}
          onLand={(sessions) => setBulk({ act: "land", sessions })}
          onCleanup={(sessions) => setBulk({ act: "cleanup", sessions })}
          onClear={() => onSearch({ ...search, selected: undefined })}
        />
      )}
      {bulk?.act === "land" && <BulkLand sessions={bulk.sessions} onClose={endBulk} />}
      {bulk?.act === "cleanup" && <BulkCleanup sessions={bulk.sessions} onClose={endBulk} />}
    </>
  );
}

function Nothing({ search, onSearch }: SearchProps) {
  if (isFiltered(search)) {
    const clear = () => onSearch({ view: search.view, sort: search.sort, archived: search.archived });
    return (
      <EmptyState title="No session fits" action={<Button variant="default" onClick={clear}>Clear the filters</Button>}>
        There are sessions, but none that the filters let through.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<IconStack2 size={22} />}
      title="No sessions yet"
      action={
        <Button component={Link} to="/new" leftSection={<IconPlus size={14} />}>
          New session
        </Button>
      }
    >
      A session is a prompt that an agent works on, in a worktree and on a branch of its own. Several can run at once.
    </EmptyState>
  );
}
