import { Button, Modal, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type SubmitEvent, useState } from "react";

import { asApiError } from "@/api/error";
import { putSession } from "@/api/queries/session-cache";
import { DialogButtons } from "@/ui/dialog-buttons";
import { FailedState } from "@/ui/states";

import { adoptWorktree } from "../api";

type Props = { path: string; onClose: () => void };

/** Makes a session of a worktree that exists. */
export function AdoptWorktree({ path: given, onClose }: Props) {
  const [path, setPath] = useState(given);
  const [name, setName] = useState("");
  const [base, setBase] = useState("");
  const [prompt, setPrompt] = useState("");
  const cache = useQueryClient();
  const navigate = useNavigate();
  const text = (value: string) => (value.trim() === "" ? undefined : value);
  const adopt = useMutation({
    mutationFn: () => adoptWorktree({ path, name: text(name), base: text(base), prompt: text(prompt) }),
    onSuccess: ({ session, seq }) => {
      putSession(cache, session, seq);
      void navigate({ to: "/sessions/$session", params: { session: session.id } });
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    adopt.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Adopt a worktree" size="md">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text c="dimmed">Makes a session of a worktree that exists. Nothing in it is changed.</Text>
          <TextInput label="Worktree" description="By its whole path" required data-autofocus value={path} onChange={(event) => setPath(event.currentTarget.value)} />
          <TextInput label="Name" placeholder="The folder's name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
          <TextInput label="Branch to land on" placeholder="As usual" value={base} onChange={(event) => setBase(event.currentTarget.value)} />
          <Textarea label="What the agent should do" placeholder="Continue the work" autosize minRows={2} value={prompt} onChange={(event) => setPrompt(event.currentTarget.value)} />
          {adopt.isError && <FailedState isSmall title="It was not adopted" failure={asApiError(adopt.error)} />}
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={adopt.isPending} disabled={path.trim() === ""}>
              Adopt
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}
