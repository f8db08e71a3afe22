import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import { type ApiError, asApiError } from "@/api/error";
import type { Session } from "@/api/types";
import { DialogButtons } from "@/ui/dialog-buttons";
import { tellDone } from "@/ui/toasts";

import { homeActions } from "../api";

type Props = { sessions: readonly Session[]; onClose: () => void };

/** Tells sessions where their directories are now. */
export function ReattachDialog({ sessions, onClose }: Props) {
  return (
    <Modal opened onClose={onClose} title="Where are they now?" size="lg">
      <Stack>
        <Text>If you moved a worktree, say where it is. Nothing in it is changed.</Text>
        {sessions.map((session) => (
          <Row key={session.id} session={session} />
        ))}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

function Row({ session }: { session: Session }) {
  const [directory, setDirectory] = useState(session.worktree_path);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const attach = () =>
    void homeActions.reattach(session.id, directory).then(
      () => {
        setProblem(null);
        tellDone(`${session.name} is attached again`);
      },
      (error: unknown) => setProblem(asApiError(error)),
    );
  return (
    <Group align="flex-end" wrap="nowrap" gap="xs">
      <TextInput
        style={{ flex: 1 }}
        label={session.name}
        value={directory}
        onChange={(event) => setDirectory(event.currentTarget.value)}
        error={problem && [problem.message, problem.hint].filter(Boolean).join(". ")}
      />
      <Button variant="default" disabled={directory === session.worktree_path} onClick={attach}>
        Reattach
      </Button>
    </Group>
  );
}
