import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for the dashboard, on every page. */
export function dashboardCommands(go: (href: string) => void): Command[] {
  return [
    { id: "dashboard.cost", title: "Cost over time", group: "Dashboard", keywords: "money spent", operations: ["get_metrics"], run: () => go("/dashboard?show=cost") },
    { id: "dashboard.tokens", title: "Tokens over time", group: "Dashboard", operations: ["get_metrics"], run: () => go("/dashboard?show=tokens") },
    { id: "dashboard.iterations", title: "Iterations and success over time", group: "Dashboard", keywords: "rate failed", operations: ["get_metrics"], run: () => go("/dashboard?show=iterations") },
  ];
}
