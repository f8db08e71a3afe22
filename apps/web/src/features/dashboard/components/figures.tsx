import type { ReactNode } from "react";

import { Unknown } from "@/ui/figures";
import { formatCount, formatMicroUsd, formatWhole, plural } from "@/ui/format";

import type { MetricsSum } from "../api";
import { type Bucket, changeOf, costOf, formatChange, formatPoints, formatRate, pointsOf } from "../model";
import classes from "./dashboard.module.css";
import { Spark } from "./spark";

type Props = { totals: MetricsSum; before: MetricsSum | null; days: number | null; buckets: readonly Bucket[] };

type Figure = {
  label: string;
  now: number | null | undefined;
  before: number | null | undefined;
  format: (value: number) => string;
  line: (bucket: Bucket) => number | null;
  /** A rate: more is better, and differences are points. Of the others nobody can say. */
  isRate?: boolean;
  title?: string;
};

/** The sums, each with its trend. */
export function Figures({ totals, before, days, buckets }: Props) {
  const figures: Figure[] = [
    { label: "Total cost", now: costOf(totals), before: before && costOf(before), format: formatMicroUsd, line: (bucket) => bucket.cost },
    { label: "Tokens", now: totals.tokens.total, before: before?.tokens.total, format: formatCount, line: (bucket) => bucket.tokens, title: tokenParts(totals) },
    { label: "Average cost of an iteration", now: totals.cost.average_micro_usd, before: before?.cost.average_micro_usd, format: formatMicroUsd, line: (bucket) => (bucket.costKnown === 0 ? null : bucket.cost / bucket.costKnown) },
    { label: "Success rate", now: totals.success_rate, before: before?.success_rate, format: formatRate, line: (bucket) => (bucket.succeeded + bucket.failed === 0 ? null : bucket.succeeded / (bucket.succeeded + bucket.failed)), isRate: true },
    { label: "Iterations", now: totals.iterations, before: before?.iterations, format: formatWhole, line: (bucket) => bucket.iterations, title: `In ${plural(totals.sessions, "session")}` },
  ];
  return (
    <div className={classes.cards}>
      {figures.map((figure) => (
        <div key={figure.label} className={classes.card} role="group" aria-label={figure.label} title={figure.title}>
          <span className={classes.label}>{figure.label}</span>
          <span className={classes.value}>{figure.now == null ? <Unknown /> : figure.format(figure.now)}</span>
          <Spark values={buckets.map(figure.line)} />
          <span className={classes.trend}>{trend(figure, days)}</span>
        </div>
      ))}
    </div>
  );
}

function trend(figure: Figure, days: number | null): ReactNode {
  if (days === null) return "Since the beginning";
  const isRate = figure.isRate ?? false;
  const change = (isRate ? pointsOf : changeOf)(figure.now, figure.before);
  if (change === null) return `Nothing in the ${plural(days, "day")} before`;
  const tone = !isRate || Math.abs(change) < 0.05 ? "quiet" : change > 0 ? "good" : "danger";
  return (
    <>
      <strong data-tone={tone}>{(isRate ? formatPoints : formatChange)(change)}</strong> compared with the {plural(days, "day")} before
    </>
  );
}

function tokenParts({ tokens }: MetricsSum): string {
  return `${formatWhole(tokens.input)} in, ${formatWhole(tokens.output)} out, ${formatWhole(tokens.cache_read)} read from the cache, ${formatWhole(tokens.cache_write)} written to it`;
}
