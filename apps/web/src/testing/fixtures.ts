/** Wire values with everything that has to be there; a test says only what it is about. */
import type { Iteration, Session, SessionDetail } from "@/api/types";

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
