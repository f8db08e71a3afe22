import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for leases, on every page. */
export function leasesCommands(go: (href: string) => void): Command[] {
  return [{ id: "leases.show", title: "Ports and databases of sessions", group: "Manage", keywords: "leases", operations: ["list_leases"], run: () => go("/manage/leases") }];
}
