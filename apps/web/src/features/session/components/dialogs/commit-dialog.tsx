import { Textarea } from "@mantine/core";
import { useState } from "react";

import { Confirm } from "@/ui/confirm";
import { plural } from "@/ui/format";

import { landing } from "../../api";
import { useUndo } from "../../use-undo";
import { useWork } from "../../use-work";
import type { DialogProps } from "./dialog-props";
import { Failure } from "./progress";

/** Commits what a person changed, or what an interrupted run left. */
export function CommitDialog({ session, onClose }: DialogProps) {
  const isInterrupted = session.status === "interrupted";
  const [message, setMessage] = useState(isInterrupted ? `Keep what iteration ${session.last_iteration?.number ?? ""} left` : "");
  const { undo } = useUndo(session.id);
  const work = useWork({
    run: () => landing.commit(session.id, { message: message.trim() }),
    done: (answer) => ({ text: `Committed ${plural(answer.files.length, "file")} as ${answer.commit.slice(0, 7)}`, undo: () => void undo() }),
    failed: "Nothing was committed",
    onDone: onClose,
  });
  return (
    <Confirm
      title={isInterrupted ? "Keep and commit" : "Commit manual changes"}
      isHarmless
      does={["Commits everything that is uncommitted in the worktree, in your name."]}
      keeps={["Every file as it is.", "Repositories inside the worktree are left out."]}
      undo="Undo makes it uncommitted again."
      action="Commit"
      isBusy={work.isPending}
      isIncomplete={message.trim() === ""}
      onConfirm={() => work.start(undefined)}
      onClose={onClose}
    >
      <Textarea label="Message" autosize minRows={2} maxRows={8} data-autofocus value={message} onChange={(event) => setMessage(event.currentTarget.value)} />
      <Failure error={work.error} />
    </Confirm>
  );
}
