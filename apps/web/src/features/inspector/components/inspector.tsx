import { Button, Select } from "@mantine/core";
import { IconTimeline } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { asApiError } from "@/api/error";
import { scriptRunsQuery } from "@/api/queries/script-runs";
import { iterationsQuery } from "@/api/queries/sessions";
import { type Extent, extentQuery, partOf, partQuery } from "@/api/queries/transcript";
import type { Iteration, Session } from "@/api/types";
import { formatDuration, formatWhole } from "@/ui/format";
import { EmptyState, FailedState, SkeletonRows } from "@/ui/states";

import { type InspectorSearch, type SpanType, spansOf, sumsOf } from "../model";
import classes from "./inspector.module.css";
import { SpanDetails } from "./span-details";
import { SpanTable } from "./span-table";

/** Items that are looked at together. A longer iteration is looked at page by page. */
const PAGE = 2_000;

type Props = { session: Session; search: InspectorSearch; onSearch: (patch: InspectorSearch) => void; onShow: (position: number) => void };

/** What an iteration did, when, for how long and at what cost. */
export function Inspector({ session, search, onSearch, onShow }: Props) {
  const iterations = useQuery(iterationsQuery(session.id));
  if (iterations.isPending) return <SkeletonRows />;
  if (iterations.isLoadingError) return <FailedState title="The iterations cannot be read" failure={asApiError(iterations.error)} onRetry={() => void iterations.refetch()} />;
  const all = iterations.data.iterations;
  const chosen = all.find((iteration) => iteration.number === search.iteration) ?? all.at(-1);
  if (chosen === undefined) {
    return (
      <EmptyState icon={<IconTimeline size={22} />} title="Nothing to inspect yet">
        After the first iteration, everything the agent did is here with its times and costs.
      </EmptyState>
    );
  }
  return (
    <IterationSpans
      key={chosen.number}
      session={session}
      iteration={chosen}
      choice={
        <Select
          aria-label="Iteration"
          w={150}
          data={all.toReversed().map((it) => ({ value: String(it.number), label: `Iteration ${it.number}` }))}
          value={String(chosen.number)}
          onChange={(value) => onSearch({ iteration: Number(value), span: undefined })}
        />
      }
      search={search}
      onSearch={onSearch}
      onShow={onShow}
    />
  );
}

function IterationSpans({ session, iteration, choice, search, onSearch, onShow }: Props & { iteration: Iteration; choice: ReactNode }) {
  const extent = useQuery(extentQuery(session.id, iteration.number));
  const runs = useQuery(scriptRunsQuery(session.id));
  const [page, setPage] = useState(0);
  const [only, setOnly] = useState<SpanType | null>(null);
  const range = extent.data && pageOf(extent.data, page);
  const parts = useQueries({ queries: range === undefined ? [] : partsOf(range).map((part) => partQuery(session.id, part)) });
  const isLoading = extent.isPending || runs.isPending || parts.some((part) => part.isPending);
  const items = parts.flatMap((part) => part.data?.items ?? []).filter((item) => item.iteration === iteration.number && range !== undefined && item.position > range.after && item.position <= range.to);
  const own = (runs.data?.script_runs ?? []).filter((run) => run.iteration === iteration.number);
  const spans = spansOf(iteration, items, own);
  const sums = sumsOf(spans);
  const shown = only === null ? spans : spans.filter((span) => span.type === only);
  const selected = spans.find((span) => span.key === search.span);
  const failed = [extent, ...parts].find((query) => query.isLoadingError);
  if (failed) return <FailedState title="The iteration cannot be read" failure={asApiError(failed.error)} onRetry={() => void failed.refetch()} />;
  const total = extent.data ? extent.data.end - extent.data.begin : 0;
  return (
    <div className={classes.inspector}>
      <div className={classes.bar}>
        {choice}
        <Button size="compact-sm" variant={only === null ? "light" : "subtle"} onClick={() => setOnly(null)}>
          All
        </Button>
        {sums.map((sum) => (
          <Button key={sum.type} size="compact-sm" variant={only === sum.type ? "light" : "subtle"} onClick={() => setOnly(only === sum.type ? null : sum.type)}>
            {sum.type} {formatWhole(sum.count)}
            {sum.ms > 0 && <span className="quiet">&nbsp;{formatDuration(sum.ms)}</span>}
            {sum.errors > 0 && <span className={classes.errors}>&nbsp;{sum.errors} failed</span>}
          </Button>
        ))}
        {total > PAGE && (
          <span className={classes.pages}>
            <Button size="compact-sm" variant="default" disabled={page === 0} onClick={() => setPage(page - 1)}>
              Earlier
            </Button>
            items {formatWhole(page * PAGE + 1)} to {formatWhole(Math.min(total, (page + 1) * PAGE))} of {formatWhole(total)}
            <Button size="compact-sm" variant="default" disabled={(page + 1) * PAGE >= total} onClick={() => setPage(page + 1)}>
              Later
            </Button>
          </span>
        )}
      </div>
      <div className={classes.body} data-details={selected !== undefined}>
        {isLoading ? <SkeletonRows /> : <SpanTable spans={shown} iteration={iteration} selected={search.span} onSelect={(span) => onSearch({ iteration: search.iteration, span })} />}
        {selected && <SpanDetails span={selected} onShow={onShow} onClose={() => onSearch({ iteration: search.iteration, span: undefined })} />}
      </div>
    </div>
  );
}

type Range = { after: number; to: number };

function pageOf({ begin, end }: Extent, page: number): Range {
  const after = begin + page * PAGE;
  return { after, to: Math.min(end, after + PAGE) };
}

function partsOf({ after, to }: Range): number[] {
  if (to <= after) return [];
  return Array.from({ length: partOf(to) - partOf(after + 1) + 1 }, (_, index) => partOf(after + 1) + index);
}
