import { Checkbox, Textarea } from "@mantine/core";
import { useState } from "react";

import type { Wire } from "@/api/types";
import { Confirm } from "@/ui/confirm";
import { plural } from "@/ui/format";

import { landing } from "../../api";
import { subjectOf } from "../../model";
import { useUndo } from "../../use-undo";
import { useWork } from "../../use-work";
import type { DialogProps } from "./dialog-props";
import { Failure, Steps } from "./progress";

/** Makes one commit of the session's commits and puts it onto its base. */
export function SquashDialog({ session, onClose }: DialogProps) {
  const [message, setMessage] = useState(() => subjectOf(session.prompt));
  const [isSquashing, setSquashing] = useState((session.ahead ?? 2) > 1);
  const [isKeeping, setKeeping] = useState(false);
  const [isRebasing, setRebasing] = useState(true);
  const { undo } = useUndo(session.id);
  const takeBack = () => void undo();
  const rebase = useWork({
    run: async (wasSquashed: boolean, onStep) => ({ ...(await landing.rebase(session.id, onStep)), wasSquashed }),
    done: (answer) => ({ text: rebasedText(answer), undo: answer.state === "finished" || (answer.state === "up_to_date" && answer.wasSquashed) ? takeBack : undefined }),
    failed: "The session was not rebased",
    onDone: onClose,
  });
  const squash = useWork({
    run: () => landing.squash(session.id, { message: message.trim(), keep_manual: isKeeping }),
    // Undo takes back what was done last, and that may be the rebase.
    done: (answer) => ({ text: `Made one commit of ${answer.squashed}`, undo: isRebasing ? undefined : takeBack }),
    failed: "The commits stay as they are",
    onDone: () => {
      if (isRebasing) {
        // If the rebase fails, only that is left to do.
        setSquashing(false);
        rebase.start(true);
      } else onClose();
    },
  });
  return (
    <Confirm
      title="Squash and rebase"
      isHarmless
      does={[
        ...(isSquashing ? [`Makes one commit of ${session.ahead == null ? "all commits" : plural(session.ahead, "commit")} of the session.`] : []),
        ...(isRebasing ? [`Puts the session's commits onto ${session.base_branch}. Where one does not fit, you decide.`] : []),
      ]}
      keeps={["The content of every file that the base did not change.", "The old commits, in a snapshot."]}
      undo="Undo brings the old commits back, byte for byte. Squash and rebase are two steps: undo takes back the last one first."
      action={isSquashing ? (isRebasing ? "Squash and rebase" : "Squash") : "Rebase"}
      isBusy={squash.isPending || rebase.isPending}
      isIncomplete={(isSquashing && message.trim() === "") || (!isSquashing && !isRebasing)}
      onConfirm={() => (isSquashing ? squash.start(undefined) : rebase.start(false))}
      onClose={onClose}
    >
      <Checkbox label="Squash" checked={isSquashing} onChange={(event) => setSquashing(event.currentTarget.checked)} />
      {isSquashing && (
        <>
          <Textarea label="Message of the commit" autosize minRows={2} maxRows={8} data-autofocus value={message} onChange={(event) => setMessage(event.currentTarget.value)} />
          <Checkbox label="Keep commits that a person made" checked={isKeeping} onChange={(event) => setKeeping(event.currentTarget.checked)} />
        </>
      )}
      <Checkbox label={`Rebase onto ${session.base_branch}`} description={session.behind == null ? undefined : session.behind === 0 ? "It has everything of it already" : `${plural(session.behind, "commit")} behind`} checked={isRebasing} onChange={(event) => setRebasing(event.currentTarget.checked)} />
      <Steps steps={rebase.steps} />
      <Failure error={squash.error ?? rebase.error} />
    </Confirm>
  );
}

function rebasedText({ state, onto, conflicts }: Wire["Rebased"]): string {
  switch (state) {
    case "conflicted":
      return `The rebase waits: ${plural(conflicts.length, "conflict")}`;
    case "up_to_date":
      return `${onto} has nothing new`;
    case "finished":
      return `Now on top of ${onto}`;
    case "aborted":
      return "The rebase was given up";
  }
}
