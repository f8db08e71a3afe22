import type { Template } from "../api";
import type { TemplatesSearch } from "../model";
import { DeleteTemplate } from "./delete-template";
import { EditTemplate } from "./edit-template";
import { ImportTemplate } from "./import-template";
import { TemplateFile } from "./template-file";

type Props = { search: TemplatesSearch; templates: readonly Template[]; onClose: () => void };

/** The dialog that the address asks for. */
export function TemplateDialog({ search, templates, onClose }: Props) {
  const template = templates.find((template) => template.name === search.template);
  if (search.do === "new") return <EditTemplate template={undefined} onClose={onClose} />;
  if (search.do === "import") return <ImportTemplate onClose={onClose} />;
  if (!template) return null;
  switch (search.do) {
    case "edit":
      return <EditTemplate template={template} onClose={onClose} />;
    case "text":
      return <TemplateFile template={template} onClose={onClose} />;
    case "delete":
      return <DeleteTemplate template={template} onClose={onClose} />;
    case undefined:
      return null;
  }
}
