import { useElementSize } from "@mantine/hooks";
import { useState } from "react";

import { plural } from "@/ui/format";

import { type Bucket, MEASURE_LOOKS, type Measure, bucketLabel, ticksOf } from "../model";
import classes from "./dashboard.module.css";

const HEIGHT = 200;
const LEFT = 52;
const BOTTOM = 20;

type Props = { buckets: readonly Bucket[]; measure: Measure };

/** Bars over time. The table beside it has the same figures for those who do not see it. */
export function TimeChart({ buckets, measure }: Props) {
  const { ref, width: measured } = useElementSize();
  const [at, setAt] = useState<number | null>(null);
  const look = MEASURE_LOOKS[measure];
  const width = Math.max(320, measured === 0 ? 800 : measured);
  const ticks = ticksOf(Math.max(...buckets.map(look.of), 0), measure !== "cost");
  const top = ticks.at(-1) ?? 0;
  const step = (width - LEFT) / Math.max(1, buckets.length);
  const y = (value: number) => (top === 0 ? HEIGHT : HEIGHT - (value / top) * (HEIGHT - 8));
  const chosen = at === null ? undefined : buckets[at];
  return (
    <div className={classes.chart}>
      {measure === "iterations" && <Legend />}
      <div ref={ref} onMouseLeave={() => setAt(null)}>
        <svg width={width} height={HEIGHT + BOTTOM} role="img" aria-label={describe(buckets, measure)}>
          {ticks.map((tick) => (
            <g key={tick}>
              <line className={classes.grid} x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
              <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
                {look.format(tick)}
              </text>
            </g>
          ))}
          {buckets.map((bucket, index) => (
            <g key={bucket.from} className={classes.column} data-at={index === at} onMouseEnter={() => setAt(index)}>
              <rect className={classes.back} x={LEFT + index * step} y={0} width={step} height={HEIGHT} />
              <Bars bucket={bucket} measure={measure} x={LEFT + index * step + step * 0.14} width={Math.max(1, step * 0.72)} y={y} />
            </g>
          ))}
          {labelled(buckets, step).map((index) => (
            <text key={index} x={LEFT + (index + 0.5) * step} y={HEIGHT + 15} textAnchor="middle">
              {buckets[index]?.from.slice(5)}
            </text>
          ))}
        </svg>
        {chosen && at !== null && (
          <div className={classes.tip} style={tipPlace(LEFT + (at + 0.5) * step, width)}>
            {bucketLabel(chosen)}: <strong>{look.format(look.of(chosen))}</strong>
            {measure === "iterations" ? ` (${chosen.succeeded} succeeded, ${chosen.failed} failed)` : ` in ${plural(chosen.iterations, "iteration")}`}
          </div>
        )}
      </div>
    </div>
  );
}

type BarsProps = { bucket: Bucket; measure: Measure; x: number; width: number; y: (value: number) => number };

function Bars({ bucket, measure, x, width, y }: BarsProps) {
  const parts: [string, number][] = measure === "iterations" ? [["succeeded", bucket.succeeded], ["failed", bucket.failed], ["other", bucket.other]] : [["all", MEASURE_LOOKS[measure].of(bucket)]];
  let below = 0;
  return parts.map(([kind, value]) => {
    const from = below;
    below += value;
    if (value === 0) return null;
    return <rect key={kind} className={classes.bar} data-kind={kind} x={x} width={width} y={y(below)} height={Math.max(1, y(from) - y(below))} rx={1} />;
  });
}

function Legend() {
  return (
    <div className={classes.legend}>
      {[["succeeded", "Succeeded"], ["failed", "Failed"], ["other", "Stopped or not over"]].map(([kind, label]) => (
        <span key={kind}>
          <svg width={10} height={10} aria-hidden style={{ display: "inline" }}>
            <rect className={classes.bar} data-kind={kind} width={10} height={10} rx={2} />
          </svg>
          {label}
        </span>
      ))}
    </div>
  );
}

/** So many days as have room for their names. */
function labelled(buckets: readonly Bucket[], step: number): number[] {
  const each = Math.max(1, Math.ceil(56 / step));
  return buckets.flatMap((_, index) => ((buckets.length - 1 - index) % each === 0 ? [index] : []));
}

function tipPlace(x: number, width: number) {
  return x > width / 2 ? { right: width - x + 20 } : { left: x + 20 };
}

function describe(buckets: readonly Bucket[], measure: Measure): string {
  const look = MEASURE_LOOKS[measure];
  const sum = buckets.reduce((sum, bucket) => sum + look.of(bucket), 0);
  const first = buckets[0];
  const last = buckets.at(-1);
  return `${look.label} from ${first?.from ?? "?"} to ${last?.until ?? "?"}: ${look.format(sum)} in all. The table has each figure.`;
}
