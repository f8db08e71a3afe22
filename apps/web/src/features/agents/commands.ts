import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for agents and environments, on every page. */
export function agentsCommands(go: (href: string) => void): Command[] {
  return [
    { id: "agents.show", title: "Agents and environments", group: "Manage", keywords: "amp codex claude login version", operations: ["list_agents", "list_environments"], run: () => go("/manage/agents") },
    { id: "agents.test", title: "Test an agent", group: "Manage", keywords: "try answer", operations: ["test_agent", "get_agent"], run: () => go("/manage/agents?test=*") },
  ];
}
