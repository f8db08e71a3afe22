import { useMutation, useQueryClient } from "@tanstack/react-query";

import { asApiError } from "@/api/error";
import { templateKeys } from "@/api/queries/templates";
import { Confirm } from "@/ui/confirm";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type Template, deleteTemplate, importTemplate, templateText } from "../api";

type Props = { template: Template; onClose: () => void };

/** Deletes a template; its text is kept for as long as the way back is offered. */
export function DeleteTemplate({ template, onClose }: Props) {
  const cache = useQueryClient();
  const renew = () => cache.invalidateQueries({ queryKey: templateKeys.all });
  const bringBack = async (text: string) => {
    try {
      await importTemplate(template.name, { text, allow_script: true });
      await renew();
    } catch (error) {
      tellFailed(`${template.name} did not come back`, asApiError(error));
    }
  };
  const remove = useMutation({
    mutationFn: async () => {
      const { text } = await templateText(template.name);
      await deleteTemplate(template.name);
      return text;
    },
    onSuccess: (text) => {
      void renew();
      onClose();
      tellDone(`${template.name} was deleted`, { run: () => void bringBack(text) });
    },
    onError: (error) => tellFailed(`${template.name} was not deleted`, asApiError(error)),
  });
  return (
    <Confirm
      title={`Delete ${template.name}`}
      does={["Deletes the template's file"]}
      keeps={["Sessions that began with it"]}
      undo="You can take it back right after."
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
