import { useQueryClient } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { putSession } from "@/api/queries/session-cache";
import { sessionActions } from "@/api/session-actions";
import { tellDone, tellFailed } from "@/ui/toasts";

/** Takes back what was done last, and says so; that can be done again. */
export function useUndo(session: string) {
  const cache = useQueryClient();
  const undo = async (): Promise<void> => {
    try {
      const answer = await sessionActions.undo(session);
      putSession(cache, answer.session, answer.seq);
      tellDone(`Taken back: ${answer.operation.summary}`, { label: "Redo", run: () => void redo() });
    } catch (error) {
      tellFailed("It was not taken back", asApiError(error));
    }
  };
  const redo = async (): Promise<void> => {
    try {
      const answer = await sessionActions.redo(session);
      putSession(cache, answer.session, answer.seq);
      tellDone(`Done again: ${answer.operation.summary}`, { run: () => void undo() });
    } catch (error) {
      tellFailed("It was not done again", asApiError(error));
    }
  };
  return { undo, redo };
}
