import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for the doctor, on every page. */
export function doctorCommands(go: (href: string) => void): Command[] {
  return [
    { id: "doctor.show", title: "Doctor: check the installation", group: "Manage", keywords: "health diagnosis server version", operations: ["examine_installation", "get_server_metrics"], run: () => go("/manage/doctor") },
    { id: "doctor.repair", title: "Doctor: repair what is ours", group: "Manage", keywords: "fix", operations: ["repair_installation"], run: () => go("/manage/doctor?repair=true") },
    { id: "doctor.sandbox", title: "Doctor: try the sandbox", group: "Manage", keywords: "isolation landlock bubblewrap escape", operations: ["check_sandbox"], run: () => go("/manage/doctor?sandbox=true") },
  ];
}
