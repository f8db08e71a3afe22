import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for data, on every page. */
export function dataCommands(go: (href: string) => void): Command[] {
  return [
    { id: "data.show", title: "Data: what is kept, and where", group: "Manage", keywords: "space disk privacy", operations: ["get_data"], run: () => go("/manage/data") },
    { id: "data.export", title: "Export data of sessions", group: "Manage", keywords: "backup copy", operations: ["export_data"], run: () => go("/manage/data?do=export") },
    { id: "data.purge", title: "Remove transcripts or logs", group: "Manage", keywords: "purge delete", operations: ["plan_purge", "purge_data"], run: () => go("/manage/data?do=purge") },
  ];
}
