import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for repositories, on every page. */
export function repositoriesCommands(go: (href: string) => void): Command[] {
  return [
    { id: "repositories.show", title: "Repositories and their branches", group: "Manage", operations: ["list_repositories", "get_repository"], run: () => go("/manage/repositories") },
    { id: "repositories.propose", title: "Propose a settings file for a repository", group: "Manage", keywords: "init", operations: ["propose_settings_file", "write_settings_file"], run: () => go("/manage/repositories?do=propose") },
  ];
}
