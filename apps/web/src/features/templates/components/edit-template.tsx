import { Button, Group, Modal, Select, Stack, TextInput, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { asApiError } from "@/api/error";
import { agentsQuery } from "@/api/queries/agents";
import { templateKeys } from "@/api/queries/templates";
import { DialogButtons } from "@/ui/dialog-buttons";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type Template, saveTemplate } from "../api";
import { NAME_RULE, type TemplateDraft, bodyOf, draftOf, isTemplateName } from "../model";

type Props = { template: Template | undefined; onClose: () => void };

/** Writes a template, new or again. */
export function EditTemplate({ template, onClose }: Props) {
  const [draft, setDraft] = useState(() => draftOf(template));
  const agents = useQuery(agentsQuery()).data?.agents.map((agent) => agent.name) ?? [];
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: () => saveTemplate(draft.name, bodyOf(draft, template)),
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: templateKeys.all });
      onClose();
      tellDone(`The template ${draft.name} was saved`);
    },
    onError: (error) => tellFailed("The template was not saved", asApiError(error)),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const field = (name: keyof TemplateDraft) => ({
    value: draft[name],
    onChange: (event: { currentTarget: { value: string } }) => setDraft({ ...draft, [name]: event.currentTarget.value }),
  });
  const isNameBad = draft.name !== "" && !isTemplateName(draft.name);
  return (
    <Modal opened onClose={onClose} title={template ? `Edit ${template.name}` : "New template"} size="lg">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput label="Name" required disabled={template !== undefined} data-autofocus={template === undefined || undefined} placeholder="fix-flaky-test" error={isNameBad ? NAME_RULE : undefined} {...field("name")} />
          <TextInput label="What it is for" {...field("description")} />
          <Textarea label="Prompt" description="Variables such as {{component}} are asked for when it is used" autosize minRows={5} maxRows={16} data-autofocus={template !== undefined || undefined} {...field("prompt")} />
          <Group grow align="flex-start">
            <Select label="Agent" clearable allowDeselect data={agents} placeholder="As usual" value={draft.agent || null} onChange={(agent) => setDraft({ ...draft, agent: agent ?? "" })} />
            <TextInput label="Model" placeholder="The agent's own" {...field("model")} />
          </Group>
          <Group grow align="flex-start">
            <TextInput label="Base branch" placeholder="As usual" {...field("base")} />
            <TextInput label="Script after each iteration" placeholder="npm test" {...field("script")} />
            <TextInput label="Time for one iteration" placeholder="30m" {...field("timeout")} />
          </Group>
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={draft.name === "" || isNameBad}>
              Save
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}
