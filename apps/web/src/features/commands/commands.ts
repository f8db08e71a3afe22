import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for commands of repositories, on every page. */
export function commandsCommands(go: (href: string) => void): Command[] {
  return [
    { id: "commands.show", title: "Commands of a repository", group: "Manage", keywords: "scripts setup permission", operations: ["list_commands"], run: () => go("/manage/commands") },
    { id: "commands.allow", title: "Allow commands of a repository", group: "Manage", keywords: "trust", operations: ["allow_commands"], run: () => go("/manage/commands?do=allow") },
    { id: "commands.forget", title: "Take back commands that were allowed", group: "Manage", keywords: "forget distrust", operations: ["forget_commands"], run: () => go("/manage/commands?do=forget") },
  ];
}
