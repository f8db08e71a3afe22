import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { NOT_ALLOWED, asApiError } from "@/api/error";
import { putSession } from "@/api/queries/session-cache";
import { historyKeys } from "@/api/queries/session-history";
import { sessionActions } from "@/api/session-actions";
import type { Wire } from "@/api/types";
import type { NotAllowed } from "@/ui/allow-command";
import { plural } from "@/ui/format";
import { tellDone, tellFailed } from "@/ui/toasts";
import { dropDraft } from "@/ui/use-draft";

import { conflictActions, conflictKeys } from "../api";
import { resultName } from "../model";
import type { Decision } from "./conflict-file";

type Decided = { path: string; decision: Decision; /** Whether the command that makes a lockfile is allowed from now on. */ isAllowed?: boolean };

/** What can be done about the conflicts of a session. One thing at a time. */
export function useGuide(session: string) {
  const cache = useQueryClient();
  const [refused, setRefused] = useState<NotAllowed | null>(null);
  const refresh = () => Promise.all([conflictKeys.of(session), historyKeys.operations(session)].map((queryKey) => cache.invalidateQueries({ queryKey })));
  const took = (answer: { session: Wire["Session"]; seq: number }) => {
    putSession(cache, answer.session, answer.seq);
    return refresh();
  };
  const failed = (title: string) => (error: unknown) => {
    tellFailed(title, asApiError(error));
    void refresh();
  };
  const undo = useMutation({ mutationFn: () => sessionActions.undo(session), onSuccess: took, onError: failed("It was not undone") });
  const moved = (answer: Wire["Rebased"]) => {
    tellRebased(answer, () => undo.mutate());
    return took(answer);
  };
  const rebase = useMutation({ mutationFn: () => conflictActions.rebase(session), onSuccess: moved, onError: failed("The rebase did not begin") });
  const step = useMutation({
    mutationFn: (which: "continue" | "skip" | "abort") => conflictActions.step(session, which),
    onSuccess: moved,
    onError: failed("The rebase did not go on"),
  });
  const decide = useMutation({
    mutationFn: ({ path, decision, isAllowed = false }: Decided) =>
      decision.with === "regenerate" ? conflictActions.regenerate(session, { path, allow_commands: isAllowed }) : conflictActions.resolve(session, { path, ...decision }),
    onSuccess: (answer, { path }) => {
      dropDraft(resultName(session, path));
      const left = answer.left.length === 0 ? "nothing is left" : `${plural(answer.left.length, "file")} left`;
      tellDone(`${path} is decided, ${left}`, { run: () => undo.mutate() });
      return took(answer);
    },
    onError: (error, decided) => {
      const failure = asApiError(error);
      if (failure.code === NOT_ALLOWED && !decided.isAllowed) setRefused({ title: `Make ${decided.path} again`, message: failure.message, again: () => decide.mutate({ ...decided, isAllowed: true }) });
      else failed("It was not decided")(error);
    },
  });
  const ask = useMutation({
    mutationFn: (text: string) => sessionActions.iterate(session, { text: text.trim() === "" ? null : text.trim() }),
    onSuccess: (answer) => {
      tellDone(`The agent was asked, in iteration ${answer.iteration.number}`);
      return took(answer);
    },
    onError: failed("The agent was not asked"),
  });
  const isBusy = [undo, rebase, step, decide, ask].some((it) => it.isPending);
  return { undo, rebase, step, decide, ask, isBusy, refused, closeRefused: () => setRefused(null) };
}

function tellRebased(answer: Wire["Rebased"], undo: () => void): void {
  const left = answer.dropped.length === 0 ? "" : `; ${plural(answer.dropped.length, "commit")} left out, since ${answer.onto} has the changes`;
  switch (answer.state) {
    case "finished":
      tellDone(`The session is on ${answer.onto} now${left}`, { run: undo });
      return;
    case "up_to_date":
      tellDone(`The session is on ${answer.onto} already`);
      return;
    case "aborted":
      tellDone("The rebase was given up; everything is as before it");
      return;
    case "conflicted":
      tellDone(`${plural(answer.conflicts.length, "file")} to decide`);
      return;
  }
}
