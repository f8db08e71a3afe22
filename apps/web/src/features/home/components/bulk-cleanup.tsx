import { List, Progress, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";

import { cleanupPlanQuery } from "@/api/queries/cleanup-plan";
import { sessionActions } from "@/api/session-actions";
import type { Session, Wire } from "@/api/types";
import { Confirm, type ConfirmOption } from "@/ui/confirm";
import { plural } from "@/ui/format";
import { tellDone, tellFailed } from "@/ui/toasts";

import { forEach } from "../bulk";

type Props = { sessions: readonly Session[]; onClose: () => void };

const OPTIONS: ConfirmOption[] = [
  { key: "even_unlanded", label: "Also those whose work is not part of their base", detail: "Their commits stay on their branches." },
  { key: "even_dirty", label: "Also those with uncommitted changes", detail: "The trash keeps the changes with the directory." },
  { key: "stop", label: "Stop what runs in them first" },
  { key: "delete_branch", label: "Delete their branches too", detail: "The trash keeps their commits." },
];

/** Moves the worktrees of several sessions into the trash. */
export function BulkCleanup({ sessions, onClose }: Props) {
  const [done, setDone] = useState<number | null>(null);
  const plans = useQueries({
    queries: sessions.slice(0, 50).map((session) => cleanupPlanQuery(session.id)),
  });
  const hindered = plans.flatMap(({ data }) => (data && data.obstacles.length > 0 ? [data] : []));
  const run = async (chosen: ReadonlySet<string>) => {
    setDone(0);
    const body: Wire["CleanUpSession"] = Object.fromEntries([...chosen].map((key) => [key, true]));
    const outcomes = await forEach(sessions, (session) => sessionActions.cleanUp(session.id, body), setDone);
    const cleaned = outcomes.filter((outcome) => outcome.problem === null).map((outcome) => outcome.session);
    onClose();
    if (cleaned.length > 0) tellDone(`${plural(cleaned.length, "worktree")} moved into the trash`, { run: () => void restore(cleaned) });
    for (const { session, problem } of outcomes) if (problem !== null) tellFailed(`${session.name} was left as it is`, { message: problem });
  };
  return (
    <Confirm
      title={`Clean up ${plural(sessions.length, "session")}`}
      does={[`Moves ${plural(sessions.length, "worktree")} into the trash and frees the ports`]}
      keeps={["Branches and commits, unless you say so below", "Transcripts and records", "The directories, in the trash, as long as the settings say"]}
      undo="A message offers to bring them back; later the page of the trash does."
      action="Clean up"
      options={OPTIONS}
      isBusy={done !== null}
      obstacle={hindered.length > 0 ? <Obstacles plans={hindered} /> : undefined}
      onConfirm={(chosen) => void run(chosen)}
      onClose={onClose}
    >
      {done !== null && <Progress value={(100 * done) / sessions.length} aria-label="Cleaned up so far" />}
    </Confirm>
  );
}

async function restore(cleaned: readonly Session[]): Promise<void> {
  const outcomes = await forEach(cleaned, (session) => sessionActions.restore({ what: session.id }), () => undefined);
  const failed = outcomes.filter((outcome) => outcome.problem !== null);
  if (failed.length < outcomes.length) tellDone(`${plural(outcomes.length - failed.length, "worktree")} brought back`);
  for (const { session, problem } of failed) tellFailed(`${session.name} was not brought back`, { message: problem ?? "" });
}

function Obstacles({ plans }: { plans: Wire["CleanupPlan"][] }) {
  return (
    <>
      <Text fw={600}>{plural(plans.length, "session")} would be left alone:</Text>
      <List mah={140} style={{ overflow: "auto" }}>
        {plans.map((plan) => (
          <List.Item key={plan.session.id}>
            {plan.session.name}: {plan.obstacles.map((obstacle) => obstacle.message).join("; ")}
          </List.Item>
        ))}
      </List>
    </>
  );
}
