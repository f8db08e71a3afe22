import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for the trash, on every page. */
export function trashCommands(go: (href: string) => void): Command[] {
  return [
    { id: "trash.show", title: "Trash", group: "Manage", keywords: "deleted cleaned up worktrees", operations: ["list_trash"], run: () => go("/manage/trash") },
    { id: "trash.restore", title: "Restore a worktree from the trash", group: "Manage", keywords: "undelete bring back", operations: ["restore_worktree"], run: () => go("/manage/trash") },
    { id: "trash.empty", title: "Empty the trash", group: "Manage", keywords: "delete for good", operations: ["empty_trash"], run: () => go("/manage/trash?do=empty") },
    { id: "trash.house", title: "Keep house: delete what is kept too long", group: "Manage", keywords: "gc garbage space disk", operations: ["keep_house"], run: () => go("/manage/trash?do=house") },
  ];
}
