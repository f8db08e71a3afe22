import type { Session, SessionStatus } from "@/api/types";
import { totalTokens } from "@/ui/figures";
import { STATUS_LOOKS, STATUS_ORDER } from "@/ui/session-status";

export const SORTS = ["attention", "name", "repository", "status", "last_run", "created", "tokens", "cost", "duration", "files", "disk"] as const;
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
  status: (one, other) => STATUS_ORDER.indexOf(one.status) - STATUS_ORDER.indexOf(other.status),
  last_run: byText((session) => session.last_run ?? ""),
  created: newest,
  tokens: byNumber((session) => (session.last_iteration?.usage ? totalTokens(session.last_iteration.usage) : null)),
  cost: byNumber((session) => session.last_iteration?.cost?.micro_usd),
  duration: byNumber((session) => session.last_iteration?.duration_ms),
  files: byNumber((session) => session.last_iteration?.files_changed),
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

/** Sessions whose work or directory is not as it should be, by what is wrong. */
export type Trouble = { interrupted: Session[]; missing: Session[]; elsewhere: Session[] };

export function findTrouble(sessions: readonly Session[]): Trouble {
  const trouble: Trouble = { interrupted: [], missing: [], elsewhere: [] };
  for (const session of sessions) {
    if (session.status === "interrupted") trouble.interrupted.push(session);
    else if (session.other_checkout != null && !session.in_trash) trouble.elsewhere.push(session);
    else if (session.status === "unknown") trouble.missing.push(session);
  }
  return trouble;
}

/** What is known about why a session has its status. */
export function evidenceOf(session: Session): string | null {
  const { last_iteration: last } = session;
  if (session.questions.length > 0) return `The agent wants to ${session.questions[0]?.what ?? "do something"}`;
  if (session.status === "error" && last?.message != null) return last.message;
  if (session.status === "awaiting_input" && last?.summary != null) return last.summary;
  if (session.status === "blocked" && last?.parked != null) return `It is tried again at ${new Date(last.parked.until).toLocaleTimeString()}`;
  return null;
}
