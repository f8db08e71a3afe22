/** Wire values with everything that has to be there; a test says only what it is about. */
import type { Iteration, Job, Session, SessionDetail, Wire } from "@/api/types";

export function aSession(said: Partial<Session> = {}): Session {
  const id = said.id ?? "7py67r";
  return {
    id,
    name: `session-${id}`,
    agent: "amp",
    base_branch: "main",
    base_commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    branch_name: `amp/session-${id}/20260504-100000`,
    created_at: "2026-05-04T10:00:00Z",
    in_trash: false,
    needs_me: false,
    prompt: "Fix the login form",
    questions: [],
    repo_root: "/home/me/project",
    rules: [],
    runtime: { budget: null, environment: null, isolation: null, mcp: [], mode: null, toolboxes: [] },
    servers: [],
    setup: "none",
    status: "idle",
    worktree_path: `/home/me/project/.worktrees/${id}`,
    ...said,
  };
}

export function anIteration(said: Partial<Iteration> = {}): Iteration {
  return {
    number: 1,
    commits: [],
    queued_at: "2026-05-04T10:00:00Z",
    state: "finished",
    ...said,
  };
}

export function aDetail(session: Session, said: Partial<SessionDetail> = {}): SessionDetail {
  return { session, seq: 1, artifacts: [], databases: [], ports: [], isolation: "none", ...said };
}

/** Sums of iterations; those with a known cost are all but `unknown`. */
export function aPoint(said: { key: string | null; micro?: number; tokens?: number; succeeded?: number; failed?: number; unknown?: number }): Wire["MetricsPoint"] {
  const { key, micro = 0, tokens = 0, succeeded = 0, failed = 0, unknown = 0 } = said;
  const iterations = succeeded + failed;
  const known = iterations - unknown;
  return {
    key,
    iterations,
    sessions: iterations,
    succeeded,
    failed,
    stopped: 0,
    unfinished: 0,
    success_rate: iterations === 0 ? null : succeeded / iterations,
    scripts: 0,
    scripts_passed: 0,
    duration_ms: 0,
    tokens: { input: tokens, output: 0, cache_read: 0, cache_write: 0, total: tokens },
    cost: { micro_usd: micro, reported_micro_usd: micro, estimated_micro_usd: 0, known_iterations: known, unknown_iterations: unknown, average_micro_usd: known === 0 ? null : Math.round(micro / known) },
  };
}

/** Long work that is over at once. */
export function doneJob(operation: string, answer: unknown): { job: Job } {
  return { job: { id: `job-${operation}`, operation, state: "succeeded", steps: [], version: 2, started_at: "2026-05-04T10:00:00Z", answer } };
}
