import { asApiError } from "@/api/error";
import { sessionActions } from "@/api/session-actions";
import type { Session, Wire } from "@/api/types";
import { groupBy } from "@/ui/group-by";
import { WORKING } from "@/ui/session-status";

/** What became of one session. */
export type Outcome = { session: Session; problem: string | null };

/** Does something with each session in turn; one that fails does not keep the others from it. */
export async function forEach(sessions: readonly Session[], act: (session: Session) => Promise<unknown>, onProgress: (done: number) => void): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const session of sessions) {
    const problem = await act(session).then(
      () => null,
      (error: unknown) => asApiError(error).message,
    );
    outcomes.push({ session, problem });
    onProgress(outcomes.length);
  }
  return outcomes;
}

/** Those in which something can be stopped. */
export function stoppable(sessions: readonly Session[]): Session[] {
  return sessions.filter((session) => WORKING.has(session.status) || session.questions.length > 0);
}

/** Those whose work may not be part of the base yet. */
export function landable(sessions: readonly Session[]): Session[] {
  return sessions.filter((session) => session.landed_at == null && !WORKING.has(session.status));
}

/** Those that have a worktree. */
export function cleanable(sessions: readonly Session[]): Session[] {
  return sessions.filter((session) => !session.in_trash && session.worktree_deleted_at == null);
}

export type LandRow = Wire["LandRow"];

/** Lands sessions; only those of one repository land together, so repositories take turns. What one is refused does not end the others. */
export async function landAll(sessions: readonly Session[], onStep: (step: string) => void): Promise<LandRow[]> {
  const rows: LandRow[] = [];
  for (const [root, together] of groupBy(sessions, (session) => session.repo_root)) {
    onStep(root);
    const ids = together.map((session) => session.id);
    try {
      const answer = await sessionActions.land({ sessions: ids }, (steps) => onStep(steps.at(-1) ?? root));
      rows.push(...answer.sessions);
    } catch (thrown) {
      const { code, message, hint } = asApiError(thrown);
      const error = { code, message, hint };
      rows.push(...together.map(({ id, name }) => ({ session_id: id, session_name: name, state: "failed" as const, error })));
    }
  }
  return rows;
}
