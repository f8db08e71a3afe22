import type { Command } from "@/ui/commands/registry";

/** Entries of the palette for templates, on every page. */
export function templatesCommands(go: (href: string) => void): Command[] {
  return [
    { id: "templates.show", title: "Templates", group: "Manage", operations: ["list_templates", "delete_template", "get_template_text"], run: () => go("/manage/templates") },
    { id: "templates.new", title: "New template", group: "Manage", keywords: "save prompt", operations: ["save_template"], run: () => go("/manage/templates?do=new") },
    { id: "templates.import", title: "Import a template", group: "Manage", operations: ["import_template"], run: () => go("/manage/templates?do=import") },
    { id: "templates.use", title: "New session with a template", group: "Manage", keywords: "begin start create", operations: ["create_session"], run: () => go("/manage/templates") },
  ];
}
