import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for toolboxes, on every page. */
export function toolboxesCommands(go: (href: string) => void): Command[] {
  return [
    { id: "toolboxes.show", title: "Toolboxes and their tools", group: "Manage", operations: ["list_tools"], run: () => go("/manage/toolboxes") },
    { id: "toolboxes.check", title: "Check a directory as a toolbox", group: "Manage", operations: ["check_toolbox"], run: () => go("/manage/toolboxes?do=check") },
    { id: "toolboxes.run", title: "Run a tool of a toolbox", group: "Manage", operations: ["run_tool"], run: () => go("/manage/toolboxes?run=*") },
  ];
}
