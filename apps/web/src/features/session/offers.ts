import type { SessionDetail } from "@/api/types";
import { hasWorktree, isBusy } from "@/ui/session-status";

import type { ActionId } from "./actions";

/** Whether an action makes sense for a session at all. */
export function isOffered({ session, approval }: SessionDetail, action: ActionId): boolean {
  const isGone = !hasWorktree(session);
  switch (action) {
    case "stop":
      return isBusy(session) || session.status === "awaiting_input";
    case "resume":
      return session.status === "interrupted" || session.status === "blocked";
    case "discard":
      return session.status === "interrupted";
    case "abort_rebase":
      return session.status === "conflicted";
    case "approve":
      return !isGone && approval == null;
    case "withdraw":
      return approval != null;
    case "archive":
      return session.archived_at == null;
    case "unarchive":
      return session.archived_at != null;
    case "restore":
      return session.in_trash;
    case "forget":
      return isGone;
    case "setup":
    case "editor":
    case "terminal":
      return !isGone;
    default:
      return true;
  }
}

/** Why an action cannot be done now, as far as that is plain; the engine knows the rest. */
export function obstacleTo({ session }: SessionDetail, action: ActionId): string | null {
  if (!hasWorktree(session) && NEEDS_WORKTREE.has(action)) return "Its worktree is not there";
  if (isBusy(session) && NEEDS_REST.has(action)) return "Something works on it: stop it first, or wait";
  if (session.status === "conflicted" && NEEDS_REST.has(action)) return "A rebase waits at conflicts";
  if (action === "commit" && session.dirty === false) return "Nothing is uncommitted";
  if (NEEDS_COMMITS.has(action) && session.ahead === 0) return "It has no commits of its own";
  return null;
}

const NEEDS_WORKTREE: ReadonlySet<ActionId> = new Set(["iterate", "test", "commit", "squash", "pull_request", "cleanup"]);
const NEEDS_REST: ReadonlySet<ActionId> = new Set(["iterate", "test", "commit", "squash", "merge", "pull_request"]);
const NEEDS_COMMITS: ReadonlySet<ActionId> = new Set(["squash", "merge", "pull_request", "export"]);
