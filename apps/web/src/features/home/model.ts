import type { Cost, Iteration, Session, SessionStatus, Usage, Wire } from "@/api/types";
import { formatTime } from "@/ui/format";
import { STATUS_LOOKS, STATUS_ORDER } from "@/ui/session-status";

export const SORTS = ["attention", "name", "repository", "agent", "status", "last_run", "created", "disk"] as const;
export type Sort = (typeof SORTS)[number];

/** What the address says about the list. What is absent is as usual. */
export type HomeSearch = {
  view?: "board";
  repo?: string;
  status?: SessionStatus[];
  agent?: string;
  text?: string;
  /** Only those that cannot go on without the user. */
  needs?: true;
  archived?: true;
  sort?: Sort;
  /** The other way round. */
  reverse?: true;
  /** Ids with dots between. */
  selected?: string;
};

/** Reads the address; what makes no sense is left out. */
export function readHomeSearch(given: Record<string, unknown>): HomeSearch {
  const statuses = (Array.isArray(given.status) ? given.status : [given.status]).filter(isStatus);
  return {
    view: given.view === "board" ? "board" : undefined,
    repo: text(given.repo),
    status: statuses.length > 0 ? statuses : undefined,
    agent: text(given.agent),
    text: text(given.text),
    needs: given.needs === true ? true : undefined,
    archived: given.archived === true ? true : undefined,
    sort: SORTS.find((sort) => sort === given.sort),
    reverse: given.reverse === true ? true : undefined,
    selected: text(given.selected),
  };
}

function text(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isStatus(value: unknown): value is SessionStatus {
  return typeof value === "string" && value in STATUS_LOOKS;
}

/** Whether anything is left out. */
export function isFiltered(search: HomeSearch): boolean {
  return [search.repo, search.status, search.agent, search.text, search.needs].some((it) => it !== undefined);
}

/** The sessions that fit, in their order. */
export function chooseSessions(sessions: readonly Session[], search: HomeSearch): Session[] {
  const words = (search.text ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  const found = sessions.filter((session) => fits(session, search, words));
  const compare = COMPARE[search.sort ?? "attention"];
  const turned = search.reverse ? -1 : 1;
  return found.sort((one, other) => turned * compare(one, other) || newest(one, other) || (one.id < other.id ? -1 : 1));
}

function fits(session: Session, search: HomeSearch, words: string[]): boolean {
  if (search.repo !== undefined && session.repo_root !== search.repo) return false;
  if (search.agent !== undefined && session.agent !== search.agent) return false;
  if (search.status !== undefined && !search.status.includes(session.status)) return false;
  if (search.needs && !session.needs_me) return false;
  if (words.length === 0) return true;
  const inside = [session.id, session.name, session.prompt, session.branch_name, session.issue ?? ""].join("\n").toLowerCase();
  return words.every((word) => inside.includes(word));
}

type Compare = (one: Session, other: Session) => number;

const newest: Compare = (one, other) => (one.created_at < other.created_at ? 1 : one.created_at > other.created_at ? -1 : 0);
const byText = (of: (session: Session) => string): Compare => (one, other) => of(one).localeCompare(of(other));
/** Largest first; what is not known comes last. */
const byNumber = (of: (session: Session) => number | null | undefined): Compare => (one, other) => (of(other) ?? -1) - (of(one) ?? -1);

const COMPARE: Record<Sort, Compare> = {
  attention: (one, other) => Number(other.needs_me) - Number(one.needs_me) || activity(one) - activity(other),
  name: byText((session) => session.name),
  repository: byText((session) => session.repo_root),
  agent: byText((session) => session.agent),
  status: (one, other) => STATUS_ORDER.indexOf(one.status) - STATUS_ORDER.indexOf(other.status),
  last_run: (one, other) => (other.last_run ?? "").localeCompare(one.last_run ?? ""),
  created: newest,
  disk: byNumber((session) => session.disk?.own_bytes),
};

/** Those that work stand before those that rest, and landed ones last. */
function activity(session: Session): number {
  switch (session.status) {
    case "running":
    case "evaluating":
    case "initializing":
    case "queued":
    case "blocked":
      return 0;
    case "completed":
      return 2;
    default:
      return 1;
  }
}

/** The ids that are chosen and in the list. */
export function readSelected(search: HomeSearch, sessions: readonly Session[]): Session[] {
  const ids = new Set(search.selected?.split("."));
  return ids.size === 0 ? [] : sessions.filter((session) => ids.has(session.id));
}

export function writeSelected(ids: Iterable<string>): string | undefined {
  const text = [...ids].join(".");
  return text === "" ? undefined : text;
}

/** Sessions whose work or directory is not as it should be, and worktrees that belong to none. */
export type Trouble = { interrupted: Session[]; missing: Session[]; orphaned: Worktree[] };
type Worktree = Wire["Worktree"];

export function findTrouble(sessions: readonly Session[], worktrees: readonly Worktree[]): Trouble {
  const gone = new Set(worktrees.flatMap((it) => (it.prunable != null && it.session_id != null ? [it.session_id] : [])));
  const roots = new Set(sessions.map((session) => session.repo_root));
  const ours = new Set(sessions.map((session) => parentOf(session.worktree_path)));
  return {
    interrupted: sessions.filter((session) => session.status === "interrupted"),
    missing: sessions.filter((session) => gone.has(session.id) && !session.in_trash && session.landed_at == null),
    // Worktrees elsewhere are the user's own affair, and so is the repository's own checkout.
    orphaned: worktrees.filter((it) => it.session_id == null && it.prunable == null && !roots.has(it.path) && ours.has(parentOf(it.path))),
  };
}

function parentOf(path: string): string {
  return path.replace(/[\\/][^\\/]*$/, "");
}

/** What is known about why a session has its status. */
export function evidenceOf(session: Session): string | null {
  const { last_iteration: last } = session;
  if (session.questions.length > 0) return `The agent wants to ${session.questions[0]?.what ?? "do something"}`;
  if (session.status === "error" && last?.message != null) return last.message;
  if (session.status === "awaiting_input" && last?.summary != null) return last.summary;
  if (session.status === "blocked" && last?.parked != null) return `It is tried again at ${formatTime(last.parked.until)}`;
  return null;
}

/** What a session used in all its iterations, as far as it is known. */
export type Totals = { usage: Usage | null; cost: Cost | null; durationMs: number | null };

/** `earlier` are its iterations as they were read; the last one comes with the session and is newer. */
export function totalsOf(session: Session, earlier: readonly Iteration[]): Totals {
  const last = session.last_iteration;
  const all = earlier.filter((iteration) => iteration.number !== last?.number);
  if (last) all.push(last);
  return {
    usage: all.reduce<Usage | null>((sum, { usage }) => addUsage(sum, usage ?? null), null),
    cost: all.reduce<Cost | null>((sum, { cost }) => addCost(sum, cost ?? null), null),
    durationMs: all.reduce<number | null>((sum, { duration_ms }) => (duration_ms == null ? sum : (sum ?? 0) + duration_ms), null),
  };
}

function addUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (!one || !other) return one ?? other;
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cache_read_tokens: one.cache_read_tokens + other.cache_read_tokens,
    cache_write_tokens: one.cache_write_tokens + other.cache_write_tokens,
  };
}

/** A sum with an estimate in it is one. */
function addCost(one: Cost | null, other: Cost | null): Cost | null {
  if (!one || !other) return one ?? other;
  const isEstimated = one.source === "estimated" || other.source === "estimated";
  return { micro_usd: one.micro_usd + other.micro_usd, source: isEstimated ? "estimated" : "reported" };
}
