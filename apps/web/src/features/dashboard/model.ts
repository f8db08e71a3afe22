import { formatCount, formatMicroUsd, formatWhole, UNKNOWN } from "@/ui/format";
import { type RawSearch, readChoice, readText } from "@/ui/search";

import type { MetricsPoint, MetricsSum } from "./api";

export const RANGES = ["7d", "30d", "90d", "year", "all"] as const;
export type Range = (typeof RANGES)[number];
export const MEASURES = ["cost", "tokens", "iterations"] as const;
export type Measure = (typeof MEASURES)[number];

/** What the address says. Days are `2026-05-04` and count whole. */
export type DashboardSearch = { range?: Range; from?: string; until?: string; repo?: string; show?: Measure; /** Figures instead of a chart. */ view?: "table" };

export function readDashboardSearch(given: RawSearch): DashboardSearch {
  return {
    range: readChoice(given.range, RANGES),
    from: readDay(given.from),
    until: readDay(given.until),
    repo: readText(given.repo),
    show: readChoice(given.show, MEASURES),
    view: readChoice(given.view, ["table"]),
  };
}

function readDay(value: unknown): string | undefined {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

/** A time with an end, and the one of the same length before it. `null`: without an end on that side. */
export type Period = { from: Date | null; until: Date | null; before: { from: Date; until: Date } | null; days: number | null };

const LENGTHS: Record<Exclude<Range, "all">, number> = { "7d": 7, "30d": 30, "90d": 90, year: 365 };

export function periodOf(search: DashboardSearch, now: Date): Period {
  if (search.from !== undefined || search.until !== undefined) return ownPeriod(search, now);
  const range = search.range ?? "30d";
  if (range === "all") return { from: null, until: null, before: null, days: null };
  const days = LENGTHS[range];
  const from = addDays(startOfDay(now), 1 - days);
  return { from, until: null, before: { from: addDays(from, -days), until: from }, days };
}

function ownPeriod(search: DashboardSearch, now: Date): Period {
  const from = search.from === undefined ? null : dayOf(search.from);
  const until = search.until === undefined ? null : addDays(dayOf(search.until), 1);
  if (!from) return { from, until, before: null, days: null };
  const days = Math.max(1, Math.round(((until ?? addDays(startOfDay(now), 1)).getTime() - from.getTime()) / DAY_MS));
  return { from, until, before: { from: addDays(from, -days), until: from }, days };
}

const DAY_MS = 86_400_000;

/** The beginning of a day, here. */
export function dayOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date);
}

function startOfDay(at: Date): Date {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate());
}

/** By the calendar, so that a day with 23 hours counts too. */
function addDays(at: Date, days: number): Date {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days);
}

export function dayName(at: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** A part of the time that a chart shows as one bar. */
export type Bucket = { from: string; until: string; cost: number; costKnown: number; tokens: number; iterations: number; succeeded: number; failed: number; other: number };

/** The most bars that can be told apart. */
const MOST_BARS = 100;

/** Days without gaps from the first to the last; several make one bar when there are many. */
export function bucketsOf(rows: readonly MetricsPoint[], period: Period, now: Date): Bucket[] {
  const known = new Map(rows.flatMap((row) => (row.key == null ? [] : [[row.key, row]])));
  const first = period.from ?? [...known.keys()].sort().map(dayOf)[0];
  if (!first) return [];
  const end = period.until && period.until < now ? period.until : addDays(startOfDay(now), 1);
  const count = Math.max(1, Math.round((end.getTime() - first.getTime()) / DAY_MS));
  const size = count <= MOST_BARS ? 1 : count <= MOST_BARS * 7 ? 7 : 30;
  const buckets: Bucket[] = [];
  for (let at = 0; at < count; at += size) {
    const days = Array.from({ length: Math.min(size, count - at) }, (_, index) => dayName(addDays(first, at + index)));
    buckets.push(sum(days, known));
  }
  return buckets;
}

function sum(days: string[], known: ReadonlyMap<string, MetricsPoint>): Bucket {
  const bucket: Bucket = { from: days[0] ?? "", until: days.at(-1) ?? "", cost: 0, costKnown: 0, tokens: 0, iterations: 0, succeeded: 0, failed: 0, other: 0 };
  for (const day of days) {
    const row = known.get(day);
    if (!row) continue;
    bucket.cost += row.cost.micro_usd;
    bucket.costKnown += row.cost.known_iterations;
    bucket.tokens += row.tokens.total;
    bucket.iterations += row.iterations;
    bucket.succeeded += row.succeeded;
    bucket.failed += row.failed;
    bucket.other += row.stopped + row.unfinished;
  }
  return bucket;
}

/** The amount that is known; `null` if no iteration told its cost. */
export function costOf(sum: Pick<MetricsSum, "cost">): number | null {
  return sum.cost.known_iterations === 0 ? null : sum.cost.micro_usd;
}

/** How much more or less it is than before, in hundredths; `null` if there is nothing to compare with. */
export function changeOf(now: number | null | undefined, before: number | null | undefined): number | null {
  if (now == null || before == null || before === 0) return null;
  return ((now - before) / before) * 100;
}

/** The difference of two rates, in points of a hundred. */
export function pointsOf(now: number | null | undefined, before: number | null | undefined): number | null {
  return now == null || before == null ? null : (now - before) * 100;
}

export function formatPoints(points: number): string {
  const rounded = Math.round(points * 10) / 10;
  if (rounded === 0) return "±0 points";
  return `${rounded > 0 ? "+" : "−"}${Math.abs(rounded)} points`;
}

export function formatChange(change: number): string {
  const rounded = Math.round(change);
  if (rounded === 0) return "±0 %";
  const shown = Math.abs(rounded) > 999 ? ">999" : String(Math.abs(rounded));
  return `${rounded > 0 ? "+" : "−"}${shown} %`;
}

export function formatRate(rate: number | null | undefined): string {
  return rate == null ? UNKNOWN : `${(rate * 100).toFixed(rate === 1 || rate === 0 ? 0 : 1)} %`;
}

export const MEASURE_LOOKS: Record<Measure, { label: string; of: (bucket: Bucket) => number; format: (value: number) => string }> = {
  cost: { label: "Cost", of: (bucket) => bucket.cost, format: formatMicroUsd },
  tokens: { label: "Tokens", of: (bucket) => bucket.tokens, format: formatCount },
  iterations: { label: "Iterations", of: (bucket) => bucket.iterations, format: formatWhole },
};

/** Round steps from nought to at least `most`. */
export function ticksOf(most: number, isWhole: boolean): number[] {
  if (most <= 0) return [0];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? rough;
  const used = isWhole ? Math.max(1, Math.ceil(step)) : step;
  return Array.from({ length: Math.ceil(most / used) + 1 }, (_, index) => index * used);
}

export function bucketLabel(bucket: Bucket): string {
  return bucket.from === bucket.until ? bucket.from : `${bucket.from} to ${bucket.until}`;
}
