import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for slash commands, on every page. */
export function slashCommandsCommands(go: (href: string) => void): Command[] {
  return [{ id: "slash.show", title: "Slash commands", group: "Manage", operations: ["list_slash_commands", "get_slash_command"], run: () => go("/manage/slash-commands") }];
}
