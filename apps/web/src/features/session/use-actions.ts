import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { NOT_ALLOWED, asApiError } from "@/api/error";
import { putAnswer } from "@/api/queries/session-cache";
import { sessionActions } from "@/api/session-actions";
import type { Wire } from "@/api/types";
import { platform } from "@/platform/current";
import type { NotAllowed } from "@/ui/allow-command";
import { tellDone, tellFailed } from "@/ui/toasts";

import { ACTIONS, type ActionId } from "./actions";
import { landing, rawOutput } from "./api";
import type { Place } from "./components/dialogs/dialog-props";
import { useUndo } from "./use-undo";

type Instant = {
  does: (isAllowed: boolean) => Promise<unknown>;
  /** Whether it runs a command that may have to be allowed first. */
  runsCommand?: boolean;
  says?: string;
  undo?: () => void;
  failed: string;
};

/** Runs actions: those that need a word open their dialog, the others are done at once. */
export function useActions(session: string, onShow: (place: Place) => void) {
  const cache = useQueryClient();
  const [open, setOpen] = useState<ActionId | null>(null);
  const [pending, setPending] = useState<ActionId | null>(null);
  const [refused, setRefused] = useState<NotAllowed | null>(null);
  const { redo } = useUndo(session);

  const showRun = (answer: Wire["ScriptAnswer"]) => onShow({ tab: "scripts", run: answer.script_run.id });

  const savePatch = async (patch: Blob) => {
    if (await platform().saveFile(patch, `${session}.patch`)) tellDone("The patch was saved; `git am` takes it");
  };
  const instant = (action: ActionId): Instant | null => {
    switch (action) {
      case "test":
        return { does: (isAllowed) => landing.startScript(session, { allow_commands: isAllowed }).then(showRun), runsCommand: true, failed: "The tests were not started" };
      case "export":
        return { does: () => landing.patch(session).then(savePatch), failed: "There is no patch" };
      case "raw_output":
        return { does: () => rawOutput(session).then((output) => platform().saveFile(output, `${session}.log`)), failed: "There is no output" };
      case "redo":
        return { does: redo, failed: "It was not done again" };
      case "resume":
        return { does: () => sessionActions.resume(session), failed: "It was not resumed" };
      case "undo_discard":
        return { does: () => landing.undoDiscard(session), says: "The changes are back", failed: "The changes did not come back" };
      case "approve":
        return { does: () => landing.approve(session), says: "Approved", undo: () => run("withdraw"), failed: "It was not approved" };
      case "withdraw":
        return { does: () => landing.withdraw(session), says: "The approval was taken back", failed: "The approval stands" };
      case "archive":
        return { does: () => sessionActions.archive(session), says: "Put away; branch and worktree stay", undo: () => run("unarchive"), failed: "It was not put away" };
      case "unarchive":
        return { does: () => sessionActions.unarchive(session), says: "It is back", undo: () => run("archive"), failed: "It was not brought back" };
      case "restore":
        return { does: () => sessionActions.restore({ what: session }), says: "The worktree is back", failed: "The worktree was not restored" };
      case "setup":
        return { does: (isAllowed) => landing.startSetup(session, { allow_commands: isAllowed }).then(showRun), runsCommand: true, failed: "The set-up was not started" };
      case "editor":
      case "terminal":
        return { does: () => landing.openWindow(session, action).then(({ notes }) => notes.forEach((note) => tellDone(note))), failed: "No window was opened" };
      case "refresh":
        return { does: () => sessionActions.refresh(session), says: "Git was asked again", failed: "Git could not be asked" };
      default:
        return null;
    }
  };

  const perform = async (action: ActionId, now: Instant, isAllowed = false) => {
    const { does, runsCommand = false, says, undo, failed } = now;
    setPending(action);
    try {
      const answer = await does(isAllowed);
      putAnswer(cache, answer);
      if (says !== undefined) tellDone(says, undo && { run: undo });
    } catch (error) {
      const failure = asApiError(error);
      if (failure.code === NOT_ALLOWED && runsCommand && !isAllowed) setRefused({ title: ACTIONS[action].title, message: failure.message, again: () => void perform(action, now, true) });
      else tellFailed(failed, failure);
    } finally {
      setPending(null);
    }
  };

  const run = (action: ActionId): void => {
    const now = instant(action);
    if (now) void perform(action, now);
    else setOpen(action);
  };

  return { run, open, pending, refused, close: () => setOpen(null), closeRefused: () => setRefused(null) };
}
