import type { ReactNode } from "react";

import type { ActionId } from "../actions";
import { CleanupDialog } from "./dialogs/cleanup-dialog";
import { CommitDialog } from "./dialogs/commit-dialog";
import type { DialogProps } from "./dialogs/dialog-props";
import { AgentCommandDialog, ArtifactsDialog, FieldsDialog, GuardDialog } from "./dialogs/info-dialogs";
import { IterateDialog } from "./dialogs/iterate-dialog";
import { MergeDialog } from "./dialogs/merge-dialog";
import { PullRequestDialog } from "./dialogs/pull-request-dialog";
import { PushDialog } from "./dialogs/push-dialog";
import { AbortRebaseDialog, DiscardDialog, ForgetDialog, StopDialog, UndoDialog } from "./dialogs/simple-dialog";
import { SquashDialog } from "./dialogs/squash-dialog";

/** The dialog of an action; those without one are done at once. */
export function ActionDialog({ action, ...props }: DialogProps & { action: ActionId }): ReactNode {
  switch (action) {
    case "iterate":
      return <IterateDialog {...props} />;
    case "commit":
      return <CommitDialog {...props} />;
    case "squash":
      return <SquashDialog {...props} />;
    case "merge":
      return <MergeDialog {...props} />;
    case "pull_request":
      return <PullRequestDialog {...props} />;
    case "push":
      return <PushDialog {...props} />;
    case "cleanup":
      return <CleanupDialog {...props} />;
    case "undo":
      return <UndoDialog {...props} />;
    case "stop":
      return <StopDialog {...props} />;
    case "discard":
      return <DiscardDialog {...props} />;
    case "abort_rebase":
      return <AbortRebaseDialog {...props} />;
    case "forget":
      return <ForgetDialog {...props} />;
    case "fields":
      return <FieldsDialog {...props} />;
    case "agent_command":
      return <AgentCommandDialog {...props} />;
    case "guard":
      return <GuardDialog {...props} />;
    case "artifacts":
      return <ArtifactsDialog {...props} />;
    default:
      return null;
  }
}
