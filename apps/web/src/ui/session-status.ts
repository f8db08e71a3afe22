import type { Session, SessionStatus } from "@/api/types";

/** How a status looks. Colour is never alone: each has a shape and a word of its own. */
export type StatusLook = {
  label: string;
  tone: "quiet" | "active" | "attention" | "danger" | "good" | "info";
  /** What it means, in a sentence. */
  meaning: string;
};

/** The order in which statuses are shown: what needs the user first. */
export const STATUS_ORDER = [
  "awaiting_input",
  "conflicted",
  "error",
  "interrupted",
  "blocked",
  "unknown",
  "running",
  "evaluating",
  "queued",
  "initializing",
  "idle",
  "completed",
] as const satisfies readonly SessionStatus[];

/** Statuses in which something works. */
export const WORKING: ReadonlySet<SessionStatus> = new Set(["initializing", "queued", "running", "evaluating", "blocked"]);

/** Whether something works on a session, or waits for a decision to go on, so that nothing else can. */
export function isBusy({ status, questions }: Session): boolean {
  return WORKING.has(status) || questions.length > 0;
}

/** Whether its directory is where it was made: neither in the trash nor deleted. */
export function hasWorktree(session: Session): boolean {
  return !session.in_trash && session.worktree_deleted_at == null;
}

export const STATUS_LOOKS: Record<SessionStatus, StatusLook> = {
  initializing: { label: "Initializing", tone: "info", meaning: "Its branch and worktree are being made." },
  queued: { label: "Queued", tone: "info", meaning: "It waits for its turn: as many agents run as the settings allow." },
  idle: { label: "Idle", tone: "quiet", meaning: "Nothing runs, and nothing is waited for." },
  running: { label: "Running", tone: "active", meaning: "The agent works." },
  awaiting_input: { label: "Awaiting input", tone: "attention", meaning: "The agent asked something and waits for your answer." },
  blocked: { label: "Blocked", tone: "attention", meaning: "It waits for something that is not you, such as a rate limit." },
  evaluating: { label: "Evaluating", tone: "active", meaning: "The agent is done; its script or checks run." },
  conflicted: { label: "Conflicted", tone: "danger", meaning: "A rebase stopped at conflicts that git could not decide." },
  interrupted: { label: "Interrupted", tone: "danger", meaning: "The agent was cut off. Its work is as it was left." },
  error: { label: "Error", tone: "danger", meaning: "The last iteration failed." },
  completed: { label: "Completed", tone: "good", meaning: "Its work is part of its base." },
  unknown: { label: "Unknown", tone: "attention", meaning: "It cannot be told how it stands." },
};
