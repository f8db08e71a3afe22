import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for settings, on every page. */
export function settingsCommands(go: (href: string) => void): Command[] {
  return [
    { id: "settings.show", title: "Settings and where they come from", group: "Manage", keywords: "preferences configuration options", keys: "g ,", operations: ["list_settings", "get_settings_files", "get_settings_schema"], run: () => go("/manage/settings") },
    { id: "settings.changed", title: "Changed settings", group: "Manage", operations: ["list_settings"], run: () => go("/manage/settings?changed=true") },
    { id: "settings.set", title: "Set a key of the settings", group: "Manage", keywords: "change config", operations: ["set_setting"], run: () => go("/manage/settings?edit=*") },
    { id: "settings.unset", title: "Take a setting out of a file", group: "Manage", keywords: "unset reset default", operations: ["unset_setting"], run: () => go("/manage/settings?changed=true") },
  ];
}
