import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconChartBar } from "@tabler/icons-react";
import { useMemo } from "react";

import { repositoriesQuery } from "@/api/queries/repositories";
import { plural } from "@/ui/format";
import { Loaded } from "@/ui/loaded";
import { Page } from "@/ui/page";
import { EmptyState } from "@/ui/states";
import { useFromNow } from "@/ui/use-now";

import { type Metrics, type MetricsBy, metricsQuery } from "../api";
import { type DashboardSearch, bucketsOf, dayName, dayOf, periodOf } from "../model";
import { Breakdown } from "./breakdown";
import classes from "./dashboard.module.css";
import { Figures } from "./figures";
import { OverTime } from "./over-time";
import { RangePicker } from "./range-picker";

type Props = { search: DashboardSearch; onSearch: (next: DashboardSearch) => void };

const SERIES: readonly MetricsBy[] = ["day", "agent", "model", "repository"];

/** What agents cost and how they do. */
export function Dashboard({ search, onSearch }: Props) {
  const today = useFromNow((now) => dayName(new Date(now)));
  const period = useMemo(() => periodOf(search, dayOf(today)), [search, today]);
  const common = { repository: search.repo, utcOffsetMinutes: -new Date().getTimezoneOffset() };
  const now = useQuery(metricsQuery({ from: period.from?.toISOString() ?? null, until: period.until?.toISOString() ?? null, by: SERIES, ...common }));
  const before = useQuery({
    ...metricsQuery({ from: period.before?.from.toISOString() ?? null, until: period.before?.until.toISOString() ?? null, by: [], ...common }),
    enabled: period.before !== null,
  });
  const roots = useQuery(repositoriesQuery()).data?.repositories.map((repository) => repository.root) ?? [];
  const series = (by: MetricsBy) => seriesOf(now.data, by);
  const buckets = useMemo(() => bucketsOf(seriesOf(now.data, "day"), period, dayOf(today)), [now.data, period, today]);
  return (
    <Page title="Dashboard" about="What agents used, what it cost, and how it went." actions={<RangePicker search={search} roots={roots} onSearch={onSearch} />}>
      <Loaded query={now} failed="Figures cannot be read" rows={10}>
        {(data) =>
          data.totals.iterations === 0 ? (
            <EmptyState icon={<IconChartBar size={20} />} title="No agent ran in this time">
              Every iteration adds to these figures. Choose a longer time, or start a session.
            </EmptyState>
          ) : (
            <div className={classes.stack} aria-busy={now.isFetching}>
              <Figures totals={data.totals} before={period.before === null ? null : (before.data?.totals ?? null)} days={period.days} buckets={buckets} />
              <Honesty metrics={data} />
              <OverTime buckets={buckets} search={search} onSearch={onSearch} />
              <div className={classes.pair}>
                <Breakdown title="By agent" rows={series("agent")} />
                <Breakdown title="By model" rows={series("model")} unnamed="Not told" />
              </div>
              <Breakdown title="By repository" rows={series("repository")} isPath />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function seriesOf(metrics: Metrics | undefined, by: MetricsBy) {
  return metrics?.series.find((series) => series.by === by)?.rows ?? [];
}

/** What the sums leave out. */
function Honesty({ metrics: { totals } }: { metrics: Metrics }) {
  const { cost } = totals;
  const lines = [
    cost.unknown_iterations > 0 ? `The cost of ${plural(cost.unknown_iterations, "iteration")} is not known and not part of the sums.` : null,
    cost.estimated_micro_usd > 0 ? "Some costs are estimated from tokens and prices." : null,
    totals.unfinished > 0 ? `${plural(totals.unfinished, "iteration")} still ${totals.unfinished === 1 ? "runs" : "run"}.` : null,
  ].filter((line) => line !== null);
  if (lines.length === 0) return null;
  return (
    <Text c="dimmed" size="xs">
      {lines.join(" ")}
    </Text>
  );
}
