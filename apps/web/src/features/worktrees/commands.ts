import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for worktrees, on every page. */
export function worktreesCommands(go: (href: string) => void): Command[] {
  return [
    { id: "worktrees.show", title: "Worktrees of a repository", group: "Manage", operations: ["list_worktrees"], run: () => go("/manage/worktrees") },
    { id: "worktrees.adopt", title: "Adopt a worktree as a session", group: "Manage", operations: ["adopt_worktree"], run: () => go("/manage/worktrees?do=adopt") },
    { id: "worktrees.prune", title: "Prune worktrees whose directory is gone", group: "Manage", operations: ["prune_worktrees"], run: () => go("/manage/worktrees?do=prune") },
  ];
}
