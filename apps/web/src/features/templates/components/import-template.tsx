import { Button, Checkbox, Modal, Stack, TextInput, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { asApiError } from "@/api/error";
import { templateKeys } from "@/api/queries/templates";
import { DialogButtons } from "@/ui/dialog-buttons";
import { FailedState } from "@/ui/states";
import { tellDone } from "@/ui/toasts";

import { importTemplate } from "../api";
import { NAME_RULE, isTemplateName } from "../model";

/** Saves a template as somebody else wrote it. */
export function ImportTemplate({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const [isReplacing, setIsReplacing] = useState(false);
  const [isScriptAllowed, setIsScriptAllowed] = useState(false);
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: () => importTemplate(name, { text, replace: isReplacing, allow_script: isScriptAllowed }),
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: templateKeys.all });
      onClose();
      tellDone(`The template ${name} was saved`);
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Import a template" size="lg">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput label="Name" required data-autofocus value={name} onChange={(event) => setName(event.currentTarget.value)} error={name !== "" && !isTemplateName(name) ? NAME_RULE : undefined} />
          <Textarea label="Text of its file" description="TOML, as “Show its file” gives it" required classNames={{ input: "mono" }} autosize minRows={8} maxRows={18} value={text} onChange={(event) => setText(event.currentTarget.value)} />
          <Checkbox label="Its script may run" description="A script of a template runs after each iteration without another question. Read it before you allow it." checked={isScriptAllowed} onChange={(event) => setIsScriptAllowed(event.currentTarget.checked)} />
          <Checkbox label="Take the place of a template with this name" checked={isReplacing} onChange={(event) => setIsReplacing(event.currentTarget.checked)} />
          {save.isError && <FailedState isSmall title="It was not saved" failure={asApiError(save.error)} />}
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={!isTemplateName(name) || text.trim() === ""}>
              Import
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}
