import { Checkbox, Stack, Textarea } from "@mantine/core";
import { useState } from "react";

import { sessionActions } from "@/api/session-actions";
import { Confirm } from "@/ui/confirm";

import { useWork } from "../../use-work";
import type { DialogProps } from "./dialog-props";
import { Failure } from "./progress";

/** Runs the agent once more. */
export function IterateDialog({ session, onClose, onShow }: DialogProps) {
  const [text, setText] = useState("");
  const [isNewThread, setNewThread] = useState(false);
  const [isUncommitted, setUncommitted] = useState(false);
  const isSetupBad = session.setup === "failed" || session.setup === "interrupted" || session.setup === "not_allowed";
  const [isWithoutSetup, setWithoutSetup] = useState(false);
  const work = useWork({
    run: () =>
      sessionActions.iterate(session.id, { text: text.trim() === "" ? null : text, new_thread: isNewThread, no_commit: isUncommitted, without_setup: isWithoutSetup }),
    done: () => null,
    failed: "The iteration was not started",
    onDone: () => {
      onClose();
      onShow({ tab: "transcript", at: undefined });
    },
  });
  return (
    <Confirm
      title="New iteration"
      isHarmless
      does={["Runs the agent, commits what it changes, then runs the session's script."]}
      keeps={["Everything that is there; what is uncommitted becomes part of its commit."]}
      undo="Stop ends it; its commit can be left out by a squash or a reset."
      action="Run"
      isBusy={work.isPending}
      onConfirm={() => work.start(undefined)}
      onClose={onClose}
    >
      <Textarea label="What should the agent do now?" placeholder="Leave empty to go on with the prompt" autosize minRows={3} maxRows={10} data-autofocus value={text} onChange={(event) => setText(event.currentTarget.value)} />
      <Stack gap={6}>
        <Checkbox label="Begin a new conversation" checked={isNewThread} onChange={(event) => setNewThread(event.currentTarget.checked)} />
        <Checkbox label="Leave the changes uncommitted" checked={isUncommitted} onChange={(event) => setUncommitted(event.currentTarget.checked)} />
        {isSetupBad && <Checkbox label="Even though its set-up did not come to a good end" checked={isWithoutSetup} onChange={(event) => setWithoutSetup(event.currentTarget.checked)} />}
      </Stack>
      <Failure error={work.error} />
    </Confirm>
  );
}
