import { Button, Checkbox, Group, Select, Text, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { asApiError } from "@/api/error";
import type { Wire } from "@/api/types";
import { AllowCommand } from "@/ui/allow-command";
import { Confirm } from "@/ui/confirm";
import { FailedState, SkeletonRows } from "@/ui/states";

import { checkQuery, landing } from "../../api";
import { useUndo } from "../../use-undo";
import { useWork } from "../../use-work";
import { CheckList } from "./check-list";
import type { DialogProps } from "./dialog-props";
import { Failure, Steps } from "./progress";

const FORMS = [
  { value: "fitting", label: "Fast-forward if possible, else a merge commit" },
  { value: "fast_forward_only", label: "Fast-forward only" },
  { value: "merge_commit", label: "A merge commit" },
  { value: "squash", label: "One squashed commit" },
] as const satisfies readonly { value: Wire["MergeForm"]; label: string }[];

/** Lands the session, after the checks. */
export function MergeDialog({ session, onClose }: DialogProps) {
  const cache = useQueryClient();
  const check = useQuery(checkQuery(session.id));
  const [form, setForm] = useState<Wire["MergeForm"]>("fitting");
  const [message, setMessage] = useState("");
  const [isPushing, setPushing] = useState(false);
  const [overridden, setOverridden] = useState<ReadonlySet<Wire["CheckName"]>>(new Set());
  const { undo } = useUndo(session.id);
  const work = useWork({
    run: (allowed: boolean, onStep) =>
      landing.merge(session.id, { form, message: message.trim() === "" ? null : message.trim(), push: isPushing, overridden: [...overridden], allow_commands: allowed }, onStep),
    done: (answer) => ({ text: `Landed on ${answer.into}${answer.error == null ? "" : `, but ${answer.error.message}`}`, undo: () => void undo() }),
    failed: "It did not land",
    onDone: onClose,
  });
  const approve = useWork({
    run: () => landing.approve(session.id),
    done: () => null,
    failed: "It was not approved",
    onDone: () => void cache.invalidateQueries({ queryKey: checkQuery(session.id).queryKey }),
  });
  const rows = check.data?.checks ?? [];
  const inTheWay = rows.filter((row) => row.state === "fail" && row.required && !overridden.has(row.name));
  const toggle = (name: Wire["CheckName"], isOn: boolean) => setOverridden(isOn ? new Set([...overridden, name]) : new Set([...overridden].filter((it) => it !== name)));
  const isPlain = form === "merge_commit" || form === "squash";
  if (work.notAllowed) return <AllowCommand refused={{ title: "Merge", message: work.notAllowed.message, again: () => work.start(true) }} onClose={work.reset} />;
  return (
    <Confirm
      title={`Merge into ${check.data?.into ?? session.base_branch}`}
      isWide
      isHarmless={overridden.size === 0}
      does={[`Makes the session's work part of ${check.data?.into ?? session.base_branch}. If that branch is checked out, its files come along.`]}
      keeps={["The session's branch and worktree.", "Uncommitted changes of whoever has the base checked out."]}
      undo={isPushing ? "Undo takes the merge back here; a push cannot be undone." : "Undo puts the base back where it was."}
      action={overridden.size > 0 ? "Merge all the same" : "Merge"}
      isBusy={work.isPending}
      isIncomplete={check.data === undefined || inTheWay.length > 0}
      onConfirm={() => work.start(false)}
      onClose={onClose}
    >
      {check.isPending && <SkeletonRows count={5} height={26} />}
      {check.isError && <FailedState isSmall title="The checks failed to run" failure={asApiError(check.error)} onRetry={() => void check.refetch()} />}
      {check.data && (
        <CheckList
          rows={rows}
          overridden={overridden}
          onOverride={toggle}
          action={(row) =>
            row.name === "reviewed" && row.state === "fail" ? (
              <Button size="compact-xs" variant="light" loading={approve.isPending} onClick={() => approve.start(undefined)}>
                Approve
              </Button>
            ) : null
          }
        />
      )}
      {check.data?.base_note != null && <Text c="dimmed">{check.data.base_note}</Text>}
      <Select label="Form" data={FORMS.map((it) => ({ ...it }))} value={form} onChange={(value) => setForm(FORMS.find((it) => it.value === value)?.value ?? "fitting")} />
      {isPlain && <Textarea label="Message" placeholder="Leave empty to use one made from the session" autosize minRows={2} value={message} onChange={(event) => setMessage(event.currentTarget.value)} />}
      <Group>
        <Checkbox label="Push the base to its remote afterwards" checked={isPushing} onChange={(event) => setPushing(event.currentTarget.checked)} />
      </Group>
      <Steps steps={work.steps} />
      <Failure error={work.error ?? approve.error} />
    </Confirm>
  );
}
