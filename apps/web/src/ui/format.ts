/** Values as text. What is not known is a dash, never a nought. */

export const UNKNOWN = "–";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en");

/** 1234567 as `1.2M`. */
export function formatCount(value: number | null | undefined): string {
  return value == null ? UNKNOWN : compact.format(value);
}

/** 1234567 as `1,234,567`. */
export function formatWhole(value: number | null | undefined): string {
  return value == null ? UNKNOWN : whole.format(value);
}

/** Millionths of a dollar as `$1.23`; small amounts keep two digits that say something. */
export function formatMicroUsd(value: number | null | undefined): string {
  if (value == null) return UNKNOWN;
  const dollars = value / 1_000_000;
  if (dollars === 0) return "$0";
  if (dollars < 0.01) return dollars < 0.0001 ? "<$0.0001" : `$${dollars.toPrecision(2)}`;
  return `$${dollars.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** 123456 as `123 kB`. */
export function formatBytes(value: number | null | undefined): string {
  if (value == null) return UNKNOWN;
  const power = value < 1_000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), UNITS.length - 1);
  const scaled = value / 1_000 ** power;
  const digits = power === 0 || scaled >= 100 ? 0 : 1;
  return `${scaled.toFixed(digits)} ${UNITS[power] ?? ""}`;
}

/** Milliseconds as `850 ms`, `12 s`, `3 m 05 s`, `2 h 14 m` or `3 d 4 h`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms == null) return UNKNOWN;
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${two(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${two(minutes % 60)} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A time as seen from now: `now`, `12 s ago`, `5 m ago`, `3 h ago`, `2 d ago`, then a date. */
export function formatAgo(at: string | null | undefined, now: number): string {
  if (at == null) return UNKNOWN;
  const seconds = Math.round((now - Date.parse(at)) / 1_000);
  if (seconds < -5) return `in ${formatDuration(-seconds * 1_000)}`;
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  if (seconds < 30 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return formatDay(at);
}

/** The day of a time: `2026-05-04`. */
export function formatDay(at: string): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A time in full: `2026-05-04 10:00:00`. */
export function formatTime(at: string): string {
  const date = new Date(at);
  return `${formatDay(at)} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `1 file`, `2 files`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${whole.format(count)} ${count === 1 ? one : many}`;
}

/** A word of the wire as people read it: `timed_out` as `Timed out`. */
export function formatWord(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll("_", " ");
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
