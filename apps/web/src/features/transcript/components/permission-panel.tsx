import { Button, Checkbox, TextInput } from "@mantine/core";
import { IconCheck, IconShieldQuestion, IconX } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { asApiError } from "@/api/error";
import { putSession } from "@/api/queries/session-cache";
import type { Session, Wire } from "@/api/types";
import { RelativeTime } from "@/ui/figures";
import { tellFailed } from "@/ui/toasts";

import { decidePermission } from "../api";
import { Fold, LongText } from "./fold";
import classes from "./transcript.module.css";

/** What the agent wants to do and the user has to decide. */
export function PermissionPanel({ session }: { session: Session }) {
  if (session.questions.length === 0) return null;
  return (
    <section className={classes.panel} data-tone="attention" aria-label="Permissions">
      {session.questions.map((question) => (
        <PermissionQuestion key={`${question.iteration}-${question.number}`} session={session} question={question} />
      ))}
    </section>
  );
}

function PermissionQuestion({ session, question }: { session: Session; question: Wire["Question"] }) {
  const cache = useQueryClient();
  const [reason, setReason] = useState("");
  const [isAlways, setAlways] = useState(false);
  const decide = useMutation({
    mutationFn: (decision: Wire["Decision"]) =>
      decidePermission(session.id, { decision, question: question.number, always: isAlways, reason: decision === "reject" && reason !== "" ? reason : null }),
    onSuccess: (answer) => putSession(cache, answer.session, answer.seq),
    onError: (error) => tellFailed("The decision was not sent", asApiError(error)),
  });
  return (
    <div className={classes.permission}>
      <div className={classes.permissionHead}>
        <IconShieldQuestion size={16} color="var(--tone-text)" />
        <strong>The agent wants to {question.what}</strong>
        <span className="quiet">
          <RelativeTime at={question.asked_at} />
        </span>
      </div>
      <Fold head={<span className="quiet truncate">{question.title ?? question.tool}</span>}>
        <LongText>{JSON.stringify(question.input, null, 2)}</LongText>
      </Fold>
      <div className={classes.composerFoot}>
        <Button leftSection={<IconCheck size={14} />} loading={decide.isPending && decide.variables === "allow"} onClick={() => decide.mutate("allow")}>
          Allow
        </Button>
        <Button variant="default" leftSection={<IconX size={14} />} loading={decide.isPending && decide.variables === "reject"} onClick={() => decide.mutate("reject")}>
          Reject
        </Button>
        <Checkbox label="Do the same next time" checked={isAlways} onChange={(event) => setAlways(event.currentTarget.checked)} />
        <TextInput style={{ flex: 1 }} aria-label="Reason for a refusal" placeholder="What to tell the agent if you reject" value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
      </div>
    </div>
  );
}
