import type { Template } from "../api";
import type { TemplatesSearch } from "../model";
import { DeleteTemplate } from "./delete-template";
import { EditTemplate } from "./edit-template";
import { ImportTemplate } from "./import-template";
import { TemplateFile } from "./template-file";
import { UseTemplate } from "./use-template";

type Props = { search: TemplatesSearch; templates: readonly Template[]; roots: readonly string[]; onClose: () => void };

/** The dialog that the address asks for. */
export function TemplateDialog({ search, templates, roots, onClose }: Props) {
  const template = templates.find((template) => template.name === search.template) ?? (search.template === "*" ? templates[0] : undefined);
  if (search.do === "new") return <EditTemplate template={undefined} onClose={onClose} />;
  if (search.do === "import") return <ImportTemplate onClose={onClose} />;
  if (!template) return null;
  switch (search.do) {
    case "edit":
      return <EditTemplate template={template} onClose={onClose} />;
    case "use":
      return <UseTemplate template={template} roots={roots} repository={search.repo ?? template.repository ?? undefined} onClose={onClose} />;
    case "text":
      return <TemplateFile template={template} onClose={onClose} />;
    case "delete":
      return <DeleteTemplate template={template} onClose={onClose} />;
    case undefined:
      return null;
  }
}
