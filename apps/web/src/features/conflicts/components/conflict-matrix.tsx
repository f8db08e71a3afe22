import { Button, Loader, Select, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconGitMerge, IconRefresh } from "@tabler/icons-react";

import { asApiError } from "@/api/error";
import { repositoriesQuery } from "@/api/queries/repositories";
import type { Wire } from "@/api/types";
import { baseName, plural } from "@/ui/format";
import { EmptyState, FailedState, SkeletonRows } from "@/ui/states";

import { matrixQuery } from "../api";
import { type MatrixSearch, pairOf, troubles } from "../model";
import { MatrixGrid } from "./matrix-grid";
import classes from "./matrix.module.css";
import { PairDetail } from "./pair-detail";

type Props = { search: MatrixSearch; onSearch: (next: MatrixSearch) => void };

/** Which sessions get into each other's way. */
export function ConflictMatrix({ search, onSearch }: Props) {
  const repositories = useQuery(repositoriesQuery());
  const there = repositories.data?.repositories.filter((it) => it.exists) ?? [];
  const roots = there.map((it) => it.root);
  const busiest = [...there].sort((one, other) => other.sessions - one.sessions)[0];
  const repository = search.repository ?? busiest?.root;
  if (repositories.isLoadingError) return <FailedState title="Repositories cannot be listed" failure={asApiError(repositories.error)} onRetry={() => void repositories.refetch()} />;
  if (repositories.isPending) return <SkeletonRows />;
  if (repository === undefined) return <Nothing />;
  return <Matrix repository={repository} roots={roots} search={search} onSearch={onSearch} />;
}

function Matrix({ repository, roots, search, onSearch }: Props & { repository: string; roots: string[] }) {
  const query = useQuery(matrixQuery(repository));
  const known = roots.includes(repository) ? roots : [repository, ...roots];
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <Title order={1}>Conflicts</Title>
        <Select
          aria-label="Repository"
          w={260}
          searchable
          data={known.map((root) => ({ value: root, label: baseName(root) }))}
          value={repository}
          title={repository}
          onChange={(root) => root !== null && onSearch({ repository: root })}
        />
        {query.data && <Text c="dimmed">{summary(query.data)}</Text>}
        {query.isFetching && <Loader size={14} aria-label="Comparing" />}
        <span style={{ flex: 1 }} />
        <Legend />
        <Button variant="default" leftSection={<IconRefresh size={14} />} disabled={query.isFetching} onClick={() => void query.refetch()}>
          Compare again
        </Button>
      </div>
      {query.isPending ? (
        <SkeletonRows />
      ) : query.isLoadingError ? (
        <FailedState title="Sessions cannot be compared" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />
      ) : query.data.sessions.length === 0 ? (
        <Nothing />
      ) : (
        <Compared matrix={query.data} search={search} onChoose={(one, other) => onSearch({ repository, one, other })} />
      )}
    </div>
  );
}

type ComparedProps = { matrix: Wire["ConflictMatrix"]; search: MatrixSearch; onChoose: (one: string, other: string | undefined) => void };

function Compared({ matrix, search, onChoose }: ComparedProps) {
  const pair = search.one === undefined ? undefined : pairOf(matrix.pairs, search.one, search.other);
  return (
    <div className={classes.body}>
      <div className={classes.scroller} tabIndex={0} role="region" aria-label="Sessions against each other">
        <MatrixGrid sessions={matrix.sessions} pairs={matrix.pairs} search={search} onChoose={onChoose} />
      </div>
      <aside className={classes.detail} aria-label="The chosen pair">
        {pair ? <PairDetail pair={pair} sessions={matrix.sessions} /> : <Text c="dimmed">Choose a cell to see which files two sessions, or a session and its base, cannot agree on.</Text>}
      </aside>
    </div>
  );
}

function summary({ sessions, pairs }: Wire["ConflictMatrix"]): string {
  const bad = pairs.filter((pair) => troubles(pair) > 0).length;
  const of = plural(sessions.length, "session with commits", "sessions with commits");
  return bad === 0 ? `${of}, no conflicts` : `${of}, ${bad} of ${plural(pairs.length, "pair")} in conflict`;
}

function Legend() {
  return (
    <Text c="dimmed" size="xs" component="div" style={{ display: "flex", gap: 12 }}>
      <span className={classes.legend}>
        <i className={classes.swatch} data-tone="danger" /> files
      </span>
      <span className={classes.legend}>
        <i className={classes.swatch} data-tone="attention" /> only numbers or names
      </span>
      <span className={classes.legend}>
        <i className={classes.swatch} data-tone="good" /> none
      </span>
    </Text>
  );
}

function Nothing() {
  return (
    <EmptyState icon={<IconGitMerge size={22} />} title="Nothing to compare">
      Sessions are compared as soon as they have commits that have not landed.
    </EmptyState>
  );
}
