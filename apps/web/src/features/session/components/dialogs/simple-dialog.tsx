import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { operationsQuery } from "@/api/queries/session-history";
import { sessionActions } from "@/api/session-actions";
import { Confirm } from "@/ui/confirm";
import { plural } from "@/ui/format";

import { landing } from "../../api";
import { useUndo } from "../../use-undo";
import { useWork } from "../../use-work";
import type { DialogProps } from "./dialog-props";
import { Failure, Steps } from "./progress";

/** Takes back the last operation. */
export function UndoDialog({ session, onClose }: DialogProps) {
  const operations = useQuery(operationsQuery(session.id));
  const next = operations.data?.operations.find((operation) => operation.id === operations.data.next_undo);
  const { redo } = useUndo(session.id);
  const again = () => {
    onClose();
    void redo();
  };
  const work = useWork({
    run: () => sessionActions.undo(session.id),
    done: () => ({ text: `Taken back: ${next?.summary ?? "the last operation"}` }),
    failed: "It was not taken back",
    onDone: onClose,
  });
  return (
    <Confirm
      title="Undo"
      isHarmless
      does={[next ? `Takes back: ${next.summary}.` : "Nothing: there is nothing that could be taken back."]}
      keeps={["What is there now, in a snapshot. If something would be lost, it is refused."]}
      undo="Redo does it again."
      action="Undo"
      isBusy={work.isPending}
      isIncomplete={next === undefined}
      onConfirm={() => work.start(undefined)}
      onClose={onClose}
    >
      {operations.data?.next_redo != null && (
        <button type="button" className="quiet" style={{ alignSelf: "flex-start", border: 0, background: "none", cursor: "pointer" }} onClick={again}>
          Do again what was undone last
        </button>
      )}
      <Failure error={work.error} />
    </Confirm>
  );
}

/** Throws away what an interrupted run left uncommitted. */
export function DiscardDialog({ session, onClose }: DialogProps) {
  const back = useWork({ run: () => landing.undoDiscard(session.id), done: () => ({ text: "The changes are back" }), failed: "The changes did not come back" });
  const work = useWork({
    run: () => landing.discard(session.id),
    done: (answer) => ({ text: `${plural(answer.files, "file")} put back to the last commit`, undo: () => back.start(undefined) }),
    failed: "Nothing was discarded",
    onDone: onClose,
  });
  return (
    <Confirm
      title="Discard what was left"
      does={["Puts every file back to the last commit and removes files that git does not know."]}
      keeps={["All commits.", "What is discarded, in a snapshot."]}
      undo="It can be brought back until the snapshot is deleted."
      action="Discard"
      isBusy={work.isPending}
      onConfirm={() => work.start(undefined)}
      onClose={onClose}
    >
      <Failure error={work.error} />
    </Confirm>
  );
}

/** Stops what runs. */
export function StopDialog({ session, onClose }: DialogProps) {
  const [isNow, setNow] = useState(false);
  const work = useWork({ run: () => sessionActions.stop(session.id, { now: isNow }), done: () => null, failed: "It was not stopped", onDone: onClose });
  return (
    <Confirm
      title="Stop"
      does={["Asks the agent or script to stop, then ends it with everything it started."]}
      keeps={["Its work so far: nothing in the worktree is changed.", "What it said."]}
      undo="A new iteration goes on with the same conversation."
      action="Stop"
      isBusy={work.isPending}
      onConfirm={() => work.start(undefined)}
      onClose={onClose}
    >
      <Checkbox label="End it at once instead of asking" checked={isNow} onChange={(event) => setNow(event.currentTarget.checked)} />
      <Failure error={work.error} />
    </Confirm>
  );
}

/** Gives up a rebase that waits at conflicts. */
export function AbortRebaseDialog({ session, onClose }: DialogProps) {
  const work = useWork({
    run: (_: undefined, onStep) => landing.stepRebase(session.id, "abort", onStep),
    done: () => ({ text: "The rebase was given up; the branch is as it was before" }),
    failed: "The rebase was not given up",
    onDone: onClose,
  });
  return (
    <Confirm
      title="Give up the rebase"
      does={["Puts branch and worktree back to where they were before the rebase. Decisions about conflicts are dropped."]}
      keeps={["All commits of the session, as they were."]}
      undo="The rebase can be started again."
      action="Give up"
      isBusy={work.isPending}
      onConfirm={() => work.start(undefined)}
      onClose={onClose}
    >
      <Steps steps={work.steps} />
      <Failure error={work.error} />
    </Confirm>
  );
}

/** Takes a session of which nothing is left out of the list. */
export function ForgetDialog({ session, onClose }: DialogProps) {
  const navigate = useNavigate();
  const work = useWork({
    run: () => sessionActions.forget(session.id),
    done: () => ({ text: `${session.name} is forgotten` }),
    failed: "It was not forgotten",
    onDone: () => {
      onClose();
      void navigate({ to: "/" });
    },
  });
  return (
    <Confirm
      title="Forget the session"
      does={["Removes its record, transcript and history. Only if its worktree is gone."]}
      keeps={["Commits that are part of other branches."]}
      undo={null}
      action="Forget"
      isBusy={work.isPending}
      onConfirm={() => work.start(undefined)}
      onClose={onClose}
    >
      <Failure error={work.error} />
    </Confirm>
  );
}
