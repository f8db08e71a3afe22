import type { Command } from "@/ui/commands/registry";

const GROUP = "Conflicts";

type Moves = { isWaiting: boolean; onRebase: () => void; onContinue: () => void; onSkip: () => void; onAbort: () => void };

/** What can be done about the conflicts of a session. */
export function guideCommands({ isWaiting, onRebase, onContinue, onSkip, onAbort }: Moves): Command[] {
  if (!isWaiting) return [{ id: "conflicts.rebase", title: "Rebase the session onto its base", group: GROUP, operations: ["rebase_session"], run: onRebase }];
  return [
    {
      id: "conflicts.continue",
      title: "Continue the rebase",
      group: GROUP,
      operations: ["step_rebase", "list_conflicts", "compare_conflict", "resolve_conflict", "regenerate_lockfile"],
      run: onContinue,
    },
    { id: "conflicts.skip", title: "Leave out the commit that does not fit", group: GROUP, operations: ["step_rebase"], run: onSkip },
    { id: "conflicts.abort", title: "Give up the rebase", group: GROUP, operations: ["step_rebase"], run: onAbort },
  ];
}
