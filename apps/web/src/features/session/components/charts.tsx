import type { Iteration } from "@/api/types";
import { totalTokens } from "@/ui/figures";
import { formatCount, formatDuration, formatMicroUsd } from "@/ui/format";

import classes from "./session.module.css";

/** As many as are told apart at this width. */
const SHOWN = 40;
const HEIGHT = 34;

type Chart = { title: string; value: (iteration: Iteration) => number | null; format: (value: number | null) => string };

const CHARTS: readonly Chart[] = [
  { title: "Tokens", value: (it) => (it.usage == null ? null : totalTokens(it.usage)), format: formatCount },
  { title: "Cost", value: (it) => it.cost?.micro_usd ?? null, format: formatMicroUsd },
  { title: "Duration", value: (it) => it.duration_ms ?? null, format: formatDuration },
];

/** What each iteration used. What is not known has no bar, only its place. */
export function Charts({ iterations }: { iterations: readonly Iteration[] }) {
  const shown = iterations.slice(-SHOWN);
  if (shown.length === 0) return null;
  return (
    <div className={classes.charts}>
      {CHARTS.map((chart) => (
        <BarChart key={chart.title} chart={chart} iterations={shown} />
      ))}
    </div>
  );
}

function BarChart({ chart, iterations }: { chart: Chart; iterations: readonly Iteration[] }) {
  const values = iterations.map(chart.value);
  const known = values.filter((value) => value !== null);
  const highest = Math.max(1, ...known);
  const sum = known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
  const label = `${chart.title}: ${chart.format(sum)} in all`;
  const width = 100 / Math.max(8, values.length);
  return (
    <figure className={classes.chart}>
      <figcaption>
        <span className="quiet">{chart.title}</span> {chart.format(sum)}
      </figcaption>
      <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {values.map((value, index) => {
          const number = iterations[index]?.number;
          const height = value === null ? 1 : Math.max(1.5, (value / highest) * (HEIGHT - 2));
          return (
            <rect key={number} x={index * width + width * 0.12} width={width * 0.76} y={HEIGHT - height} height={height} data-known={value !== null}>
              <title>{`Iteration ${number}: ${chart.format(value)}`}</title>
            </rect>
          );
        })}
      </svg>
    </figure>
  );
}
