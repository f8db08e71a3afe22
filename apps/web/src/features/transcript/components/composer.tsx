import { Button, Checkbox, Textarea } from "@mantine/core";
import { IconPlayerStop, IconSend } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";

import { asApiError } from "@/api/error";
import { putSession } from "@/api/queries/session-cache";
import { sessionActions } from "@/api/session-actions";
import type { Session, Wire } from "@/api/types";
import { Keys } from "@/ui/kbd";
import { WORKING, hasWorktree, isBusy } from "@/ui/session-status";
import { tellFailed } from "@/ui/toasts";
import { useDraft } from "@/ui/use-draft";

import { COMPOSER_ID } from "../commands";
import { answerQuestion, slashCommandsQuery } from "../api";
import { slashPrefix } from "../model";
import { QueuePlace } from "./queue-place";
import { SLASH_LIST_ID, SlashListbox, slashOptionId } from "./slash-list";
import classes from "./transcript.module.css";

type Props = {
  session: Session;
  /** A command that is built in: the page does it. False if it has none for it. */
  onCommand: (name: string, rest: string) => boolean;
  onStop: () => void;
};

/** What the agent is told next: a follow-up, or the answer to its question. */
export function Composer({ session, onCommand, onStop }: Props) {
  const cache = useQueryClient();
  const { text, write: setText } = useDraft(`follow-up.${session.id}`, "");
  const [isNewThread, setNewThread] = useState(false);
  const isWorking = isBusy(session);
  const isGone = !hasWorktree(session);
  const isAnswer = session.status === "awaiting_input" && session.questions.length === 0;
  const send = useMutation({
    mutationFn: (wanted: string) => (isAnswer ? answerQuestion(session.id, wanted) : sessionActions.iterate(session.id, { text: wanted === "" ? null : wanted, new_thread: isNewThread })),
    onSuccess: (answer) => {
      putSession(cache, answer.session, answer.seq);
      setText("");
      setNewThread(false);
    },
    onError: (error) => tellFailed(isAnswer ? "The answer was not sent" : "The iteration was not started", asApiError(error)),
  });
  const slash = useSlash(session.id, text, setText);
  const submit = () => {
    const wanted = text.trim();
    if (isWorking || isGone || send.isPending || (wanted === "" && isAnswer)) return;
    const command = /^\/([A-Za-z0-9_-]+)(?:\s+([\s\S]*))?$/.exec(wanted);
    const known = command !== null && slash.all.some((it) => it.origin === "built_in" && it.name === command[1]);
    if (known) {
      if (onCommand(command[1] ?? "", command[2] ?? "")) setText("");
      else tellFailed(`/${command[1] ?? ""} is for the command line`, { message: `\`orchestra session iterate ${session.id} "${wanted}"\` does it there` });
      return;
    }
    send.mutate(wanted);
  };
  const press = (event: KeyboardEvent) => {
    if (slash.press(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      submit();
    } else if (event.key === "Escape") document.getElementById(COMPOSER_ID)?.blur();
  };
  return (
    <div className={classes.composer}>
      {slash.isOpen && <SlashListbox commands={slash.fitting} selected={slash.selected} onChoose={slash.choose} />}
      {isAnswer && (
        <div className={classes.question} data-tone="attention" role="status">
          {session.last_iteration?.summary ?? "The agent waits for an answer."}
        </div>
      )}
      <Textarea
        id={COMPOSER_ID}
        aria-label={isAnswer ? "Your answer" : "Follow-up"}
        placeholder={placeholder(session, isAnswer)}
        autosize
        minRows={2}
        maxRows={12}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={press}
        aria-controls={slash.isOpen ? SLASH_LIST_ID : undefined}
        aria-activedescendant={slash.isOpen ? slashOptionId(slash.fitting[slash.selected]?.name ?? "") : undefined}
      />
      <div className={classes.composerFoot}>
        {isWorking ? <QueuePlace session={session} /> : !isAnswer && <Checkbox label="New conversation" checked={isNewThread} onChange={(event) => setNewThread(event.currentTarget.checked)} />}
        <span className={classes.space} />
        <span className="quiet">
          <Keys keys="mod+enter" />
        </span>
        {isWorking ? (
          <Button variant="default" leftSection={<IconPlayerStop size={14} />} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button leftSection={<IconSend size={14} />} loading={send.isPending} disabled={isGone || (text.trim() === "" && isAnswer)} onClick={submit}>
            {isAnswer ? "Answer" : text.trim() === "" ? "Run" : "Send"}
          </Button>
        )}
      </div>
    </div>
  );
}

function placeholder(session: Session, isAnswer: boolean): string {
  if (!hasWorktree(session)) return "Its worktree is not there";
  if (isAnswer) return "Your answer";
  if (session.questions.length > 0) return "The agent waits for your decision above; what you write here is kept";
  if (WORKING.has(session.status)) return "The agent works; what you write here is kept until you send it";
  return session.last_iteration == null ? "Anything to add to the prompt? Empty runs it as it is. / for commands" : "What next? / for commands";
}

/** Completion of slash commands. */
function useSlash(session: string, text: string, setText: (text: string) => void) {
  const prefix = slashPrefix(text);
  const [place, setPlace] = useState(0);
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const query = useQuery({ ...slashCommandsQuery(session), enabled: text.startsWith("/") });
  const all = (query.data?.commands ?? []).filter((command) => command.is_used);
  const fitting = prefix === null ? [] : all.filter((command) => command.name.startsWith(prefix.toLowerCase()));
  const isOpen = fitting.length > 0 && closedFor !== text && !fitting.some((command) => command.name === prefix && fitting.length === 1);
  const selected = Math.min(place, fitting.length - 1);
  const choose = (command: Wire["SlashCommand"]) => {
    setText(`/${command.name} `);
    setPlace(0);
  };
  /** Whether the key was meant for the list. */
  const press = (event: KeyboardEvent): boolean => {
    if (!isOpen) return false;
    const move = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const command = fitting[selected];
    if (move !== 0) setPlace((selected + move + fitting.length) % fitting.length);
    else if (event.key === "Escape") setClosedFor(text);
    else if (command && (event.key === "Tab" || (event.key === "Enter" && !event.ctrlKey && !event.metaKey))) choose(command);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { all, fitting, isOpen, selected, choose, press };
}
