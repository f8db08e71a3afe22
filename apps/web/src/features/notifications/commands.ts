import { platform } from "@/platform/current";
import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for notifications, on every page. */
export function notificationCommands(go: (href: string) => void): Command[] {
  return [
    { id: "notifications.show", title: "Notifications", group: "Manage", keywords: "events news", operations: ["list_notifications"], run: () => go("/manage/notifications") },
    {
      id: "notifications.browser",
      title: "Show notifications in the browser",
      group: "Manage",
      keywords: "permission desktop",
      isHidden: platform().notifications.permission() !== "ask",
      run: () => void platform().notifications.ask(),
    },
  ];
}
