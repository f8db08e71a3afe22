import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for the queue, on every page. */
export function queueCommands(go: (href: string) => void): Command[] {
  return [
    { id: "queue.show", title: "Queue: what waits or runs", group: "Manage", keywords: "running iterations scripts", operations: ["list_queue"], run: () => go("/manage/queue") },
    { id: "queue.stop", title: "Stop what runs", group: "Manage", keywords: "end cancel iteration script", operations: ["stop_session", "stop_script_run"], run: () => go("/manage/queue") },
    { id: "queue.jobs", title: "Long work of the server", group: "Manage", keywords: "jobs", operations: ["list_jobs", "get_job"], run: () => go("/manage/queue") },
  ];
}
