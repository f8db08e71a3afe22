import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for operations, on every page. */
export function operationsCommands(go: (href: string) => void): Command[] {
  return [
    { id: "operations.show", title: "Operations on sessions", group: "Manage", keywords: "history log", operations: ["list_operations", "list_events"], run: () => go("/manage/operations") },
    { id: "operations.undo", title: "Undo an operation", group: "Manage", keywords: "take back revert", operations: ["undo_operation"], run: () => go("/manage/operations") },
    { id: "operations.redo", title: "Redo an operation", group: "Manage", keywords: "again", operations: ["redo_operation"], run: () => go("/manage/operations") },
  ];
}
