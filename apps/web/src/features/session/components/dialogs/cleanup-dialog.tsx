import { Checkbox, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { NOT_ALLOWED, asApiError } from "@/api/error";
import { cleanupPlanQuery } from "@/api/queries/cleanup-plan";
import { sessionActions } from "@/api/session-actions";
import type { Wire } from "@/api/types";
import { Confirm } from "@/ui/confirm";
import { plural } from "@/ui/format";
import { FailedState, SkeletonRows } from "@/ui/states";
import { Ticked } from "@/ui/ticked";

import { useUndo } from "../../use-undo";
import { useWork } from "../../use-work";
import type { DialogProps } from "./dialog-props";
import { Failure } from "./progress";

type Consent = keyof Wire["CleanUpSession"];

/** Moves the worktree into the trash. */
export function CleanupDialog({ session, detail, onClose }: DialogProps) {
  const [consents, setConsents] = useState<Wire["CleanUpSession"]>({});
  const plan = useQuery({ ...cleanupPlanQuery(session.id, consents), placeholderData: keepPreviousData });
  const { undo } = useUndo(session.id);
  const work = useWork({
    run: () => sessionActions.cleanUp(session.id, consents),
    done: (answer) => ({ text: answer.trash == null ? "It was cleaned up" : `Its worktree is in the trash as ${answer.trash}`, undo: () => void undo() }),
    failed: "It was not cleaned up",
    onDone: onClose,
  });
  const consent = (key: Consent, label: string) => (
    <Checkbox label={label} checked={consents[key] ?? false} onChange={(event) => setConsents({ ...consents, [key]: event.currentTarget.checked })} />
  );
  const codes = new Set(plan.data?.obstacles.map((obstacle) => obstacle.code));
  const wants = (key: Consent, code: string) => (consents[key] ?? false) || codes.has(code);
  return (
    <Confirm
      title="Clean up"
      does={does(session, plan.data)}
      keeps={[
        consents.delete_branch ? "The branch's commits, in the trash." : `The branch ${session.branch_name}.`,
        "The directory with all its files, in the trash, until the settings say otherwise.",
        "Transcript, history and figures.",
      ]}
      undo={plan.data?.drops_for_good ? "Undo brings the worktree back; dropped databases are gone for good." : "Undo brings everything back as it was."}
      action="Clean up"
      isBusy={work.isPending}
      isIncomplete={plan.data?.is_possible !== true || plan.isPlaceholderData}
      onConfirm={() => work.start(undefined)}
      onClose={onClose}
    >
      {plan.isPending && <SkeletonRows count={2} height={26} />}
      {plan.isError && <FailedState isSmall title="It cannot be planned" failure={asApiError(plan.error)} onRetry={() => void plan.refetch()} />}
      <Stack gap={6}>
        {plan.data?.obstacles.map((obstacle) => (
          <Text key={obstacle.code} c="var(--tone-danger-text)" role="alert">
            <Ticked text={obstacle.message} />
          </Text>
        ))}
        {wants("even_unlanded", "cleanup.unlanded") && consent("even_unlanded", "Even though the work is not part of the base")}
        {wants("even_dirty", "cleanup.dirty") && consent("even_dirty", "Even though something is not committed")}
        {(plan.data?.stops_work === true || wants("stop", "session.busy")) && consent("stop", "Stop what runs in it first; its work is kept")}
        {wants("allow_commands", NOT_ALLOWED) && consent("allow_commands", "Allow the command that takes down what the set-up made")}
        {plan.data?.teardown != null && consent("without_teardown", `Do not run ${plan.data.teardown.command}`)}
        {consent("delete_branch", "Delete the branch too, if nobody moved it")}
        {detail.databases.length > 0 && consent("delete_database", `Drop ${plural(detail.databases.length, "database")} too, for good`)}
      </Stack>
      <Failure error={work.error} />
    </Confirm>
  );
}

function does(session: DialogProps["session"], plan: Wire["CleanupPlan"] | undefined): string[] {
  if (plan?.is_done) return ["Nothing: it is cleaned up already."];
  return [
    `Moves ${plan?.directory ?? session.worktree_path} into the trash.`,
    ...(plan && plan.uncommitted > 0 ? [`${plural(plan.uncommitted, "file")} with uncommitted changes ${plan.uncommitted === 1 ? "goes" : "go"} along.`] : []),
    ...(plan && plan.servers.length > 0 ? [`Ends ${plan.servers.join(", ")}.`] : []),
    ...(plan?.landed == null ? [] : [`Its work is part of the base: ${plan.landed.replaceAll("_", " ")}.`]),
  ];
}
