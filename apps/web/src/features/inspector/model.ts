import type { Cost, Iteration, ScriptRun, TranscriptItem, Usage } from "@/api/types";
import { firstLine } from "@/ui/lines";
import { type RawSearch, readText } from "@/ui/search";

/** What the address says about the inspector. */
export type InspectorSearch = {
  /** The iteration; the last one without it. */
  iteration?: number;
  /** The span whose details are shown, by its key. */
  span?: string;
};

export function readInspectorSearch(given: RawSearch): InspectorSearch {
  const iteration = Number(given.iteration);
  return {
    iteration: Number.isSafeInteger(iteration) && iteration > 0 ? iteration : undefined,
    span: readText(given.span),
  };
}

export const SPAN_TYPES = ["iteration", "message", "thinking", "tool", "permission", "edit", "script", "other"] as const;
export type SpanType = (typeof SPAN_TYPES)[number];

/** Something that took time, or happened at one. */
export type Span = {
  key: string;
  type: SpanType;
  name: string;
  start: string;
  /** How long it took; `null` while it runs, or if nobody knows. */
  ms: number | null;
  isRunning: boolean;
  usage: Usage | null;
  cost: Cost | null;
  error: string | null;
  /** What there is to read about it. */
  details: { label: string; text: string }[];
  /** Its place in the transcript. */
  position: number | null;
};

/** The spans of an iteration, in the order they began. */
export function spansOf(iteration: Iteration, items: readonly TranscriptItem[], runs: readonly ScriptRun[]): Span[] {
  const isOver = iteration.state === "finished";
  const spans: Span[] = [iterationSpan(iteration)];
  const open = new Map<string, Span>();
  let last: Span | null = null;
  const add = (item: TranscriptItem, type: SpanType, name: string, details: Span["details"], error: string | null = null): Span => {
    const span: Span = { key: `item-${item.position}`, type, name, start: item.at, ms: 0, isRunning: false, usage: null, cost: null, error, details, position: item.position };
    spans.push(span);
    return span;
  };
  const begin = (id: string, span: Span) => {
    span.ms = null;
    span.isRunning = !isOver;
    open.set(id, span);
  };
  const end = (id: string, item: TranscriptItem, label: string, text: string, error: string | null) => {
    const span = open.get(id);
    if (!span) return;
    open.delete(id);
    span.ms = Math.max(0, Date.parse(item.at) - Date.parse(span.start));
    span.isRunning = false;
    span.error = error;
    span.details.push({ label, text });
  };
  for (const item of items) {
    const { event } = item;
    switch (event.kind) {
      case "message":
        last = add(item, "message", event.role, [{ label: "Text", text: event.text }]);
        break;
      case "thinking":
        last = add(item, "thinking", "thinking", [{ label: "Text", text: event.text }]);
        break;
      case "tool_call":
        last = add(item, "tool", event.name, [{ label: "Arguments", text: pretty(event.input) }]);
        begin(event.id, last);
        break;
      case "tool_result":
        end(event.id, item, "Result", event.content, event.is_error ? firstLine(event.content) : null);
        break;
      case "permission_asked":
        begin(`permission-${event.id}`, add(item, "permission", event.title ?? event.tool_use.tool, [{ label: "Arguments", text: pretty(event.tool_use.input) }]));
        break;
      case "permission_decided":
        end(`permission-${event.id}`, item, event.decision === "allow" ? "Allowed" : "Rejected", event.reason, event.decision === "reject" ? event.reason : null);
        break;
      case "permission_withdrawn":
        end(`permission-${event.id}`, item, "No longer asked", event.reason, null);
        break;
      case "edit":
        add(item, "edit", event.path, [
          { label: "Before", text: event.old ?? "" },
          { label: "After", text: event.new },
        ]);
        break;
      case "usage":
        // Tokens are told after what they were used for.
        if (last) {
          last.usage = last.usage ? sumUsage(last.usage, event.usage) : event.usage;
          last.cost = event.cost ?? last.cost;
        }
        break;
      case "failed":
        add(item, "other", "failed", [{ label: "Message", text: event.message }], event.message);
        break;
      case "unrecognized":
        add(item, "other", "not recognized", [{ label: "Line", text: event.raw }]);
        break;
      case "diagnostic":
        add(item, "other", "diagnostic", [{ label: "Text", text: event.text }]);
        break;
      case "started":
        add(item, "other", "started", [{ label: "Tools", text: event.tools.join(", ") }]);
        break;
      case "plan":
        add(item, "other", "plan", [{ label: "Steps", text: event.steps.map((step) => `${step.state}: ${step.text}`).join("\n") }]);
        break;
      case "awaiting_input":
        add(item, "other", "question", [{ label: "Question", text: event.question }]);
        break;
      case "finished":
    }
  }
  return [...spans, ...runs.map(scriptSpan)].sort((one, other) => Date.parse(one.start) - Date.parse(other.start));
}

function iterationSpan(iteration: Iteration): Span {
  const details = [
    { label: "Input", text: iteration.input ?? "" },
    { label: "Model", text: iteration.model ?? "" },
    { label: "Thread", text: iteration.thread ?? "" },
    { label: "Summary", text: iteration.summary ?? "" },
    { label: "Commits", text: iteration.commits.join("\n") },
  ].filter((detail) => detail.text !== "");
  return {
    key: "iteration",
    type: "iteration",
    name: `Iteration ${iteration.number}`,
    start: iteration.started_at ?? iteration.queued_at,
    ms: iteration.duration_ms ?? null,
    isRunning: iteration.state !== "finished",
    usage: iteration.usage ?? null,
    cost: iteration.cost ?? null,
    error: iteration.message ?? null,
    details,
    position: null,
  };
}

function scriptSpan(run: ScriptRun): Span {
  const isBad = !["running", "passed", "stopped"].includes(run.state);
  return {
    key: `script-${run.id}`,
    type: "script",
    name: run.script,
    start: run.started_at,
    ms: run.finished_at == null ? null : Date.parse(run.finished_at) - Date.parse(run.started_at),
    isRunning: run.state === "running",
    usage: null,
    cost: null,
    error: run.problem?.message ?? (isBad ? `${run.state.replaceAll("_", " ")}${run.exit_code == null ? "" : `, exit code ${run.exit_code}`}` : null),
    details: [{ label: "Command", text: run.command }],
    position: null,
  };
}

function sumUsage(one: Usage, other: Usage): Usage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cache_read_tokens: one.cache_read_tokens + other.cache_read_tokens,
    cache_write_tokens: one.cache_write_tokens + other.cache_write_tokens,
  };
}

function pretty(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Time by type of span: how often, and how long where that is known. */
export function sumsOf(spans: readonly Span[]): { type: SpanType; count: number; ms: number; errors: number }[] {
  return SPAN_TYPES.flatMap((type) => {
    const own = spans.filter((span) => span.type === type);
    if (own.length === 0) return [];
    return [{ type, count: own.length, ms: own.reduce((sum, span) => sum + (span.ms ?? 0), 0), errors: own.filter((span) => span.error !== null).length }];
  });
}
