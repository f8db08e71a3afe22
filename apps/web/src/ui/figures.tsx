/** Small figures with the whole value behind them. */
import { Tooltip } from "@mantine/core";

import type { Cost, Usage } from "@/api/types";

import { formatAgo, formatBytes, formatCount, formatDuration, formatMicroUsd, formatTime, formatWhole, UNKNOWN } from "./format";
import { useFromNow } from "./use-now";

/** A time as seen from now. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const text = useFromNow((now) => formatAgo(at, now), at != null);
  if (at == null) return <Unknown />;
  return (
    <time dateTime={at} title={formatTime(at)}>
      {text}
    </time>
  );
}

/** How long something took, or takes since `since`. */
export function Duration({ ms, since }: { ms: number | null | undefined; since?: string | null }) {
  const isRunning = ms == null && since != null;
  const text = useFromNow((now) => formatDuration(isRunning ? now - Date.parse(since) : ms), isRunning);
  return text === UNKNOWN ? <Unknown /> : <span>{text}</span>;
}

/** Money, and who says so. */
export function CostFigure({ cost }: { cost: Cost | null | undefined }) {
  if (cost == null) return <Unknown />;
  const isEstimated = cost.source === "estimated";
  return (
    <Tooltip label={isEstimated ? "Estimated from tokens and prices" : "Told by the agent"}>
      <span>
        {isEstimated ? "≈ " : ""}
        {formatMicroUsd(cost.micro_usd)}
      </span>
    </Tooltip>
  );
}

/** Tokens in all, by kind on demand. */
export function Tokens({ usage }: { usage: Usage | null | undefined }) {
  if (usage == null) return <Unknown />;
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  const label = `${formatWhole(input_tokens)} in, ${formatWhole(output_tokens)} out, ${formatWhole(cache_read_tokens)} read from the cache, ${formatWhole(cache_write_tokens)} written to it`;
  return (
    <Tooltip label={label}>
      <span>{formatCount(totalTokens(usage))}</span>
    </Tooltip>
  );
}

export function totalTokens(usage: Usage): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
}

export function Bytes({ value }: { value: number | null | undefined }) {
  return value == null ? <Unknown /> : <span title={`${formatWhole(value)} bytes`}>{formatBytes(value)}</span>;
}

/** What nobody knows. */
export function Unknown({ why = "Not known" }: { why?: string }) {
  return (
    <span className="quiet" title={why} aria-label={why}>
      {UNKNOWN}
    </span>
  );
}
