import { ActionIcon, Button, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { IconChevronDown, IconChevronUp, IconMessages, IconSend, IconTrash } from "@tabler/icons-react";
import { useState } from "react";

import { asApiError } from "@/api/error";
import { putSession } from "@/api/queries/session-cache";
import { sessionActions } from "@/api/session-actions";
import { plural } from "@/ui/format";
import { tellDone, tellFailed } from "@/ui/toasts";

import { type LineComment, followUp, linesLabel, removeComments, restoreComments } from "../comments";
import classes from "./comments.module.css";

type Props = { session: string; comments: LineComment[]; onShow: (comment: LineComment) => void };

/** The comments that were gathered, and the way to send them. */
export function CommentDock({ session, comments, onShow }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [note, setNote] = useState("");
  const send = useSend(session, comments, note, () => setNote(""));
  if (comments.length === 0) return null;
  return (
    <section className={classes.dock} aria-label="Comments">
      {isOpen && (
        <ul className={classes.list}>
          {comments.map((comment) => (
            <Item key={comment.id} comment={comment} onShow={() => onShow(comment)} onRemove={() => remove(session, comment)} />
          ))}
        </ul>
      )}
      <div className={classes.dockBar}>
        <Button
          variant="subtle"
          color="gray"
          aria-expanded={isOpen}
          leftSection={<IconMessages size={14} />}
          rightSection={isOpen ? <IconChevronDown size={14} /> : <IconChevronUp size={14} />}
          onClick={() => setOpen(!isOpen)}
        >
          {plural(comments.length, "comment")}
        </Button>
        <TextInput
          style={{ flex: 1, maxWidth: 520 }}
          aria-label="Note to all comments"
          placeholder="Something about all of them (optional)"
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Button leftSection={<IconSend size={14} />} loading={send.isPending} onClick={() => send.mutate()}>
          Send to the agent
        </Button>
      </div>
    </section>
  );
}

/** One follow-up with all of them. They are gone only after the server took it. */
function useSend(session: string, comments: LineComment[], note: string, onSent: () => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => sessionActions.iterate(session, { text: followUp(comments, note) }).then((answer) => ({ answer, sent: comments })),
    onSuccess: ({ answer, sent }) => {
      removeComments(session, sent);
      putSession(cache, answer.session, answer.seq);
      onSent();
      tellDone(`${plural(sent.length, "comment")} sent with iteration ${answer.iteration.number}`);
    },
    onError: (error) => tellFailed("The comments were not sent and are kept", asApiError(error)),
  });
}

function remove(session: string, comment: LineComment): void {
  removeComments(session, [comment]);
  tellDone("Comment removed", { run: () => restoreComments(session, [comment]) });
}

function Item({ comment, onShow, onRemove }: { comment: LineComment; onShow: () => void; onRemove: () => void }) {
  return (
    <li className={classes.item}>
      <button type="button" className={`${classes.place} truncate`} onClick={onShow}>
        <span className="mono">{comment.path}</span>, {linesLabel(comment)}
        {comment.side === "old" && " as it was"}
      </button>
      <ActionIcon size="sm" aria-label="Remove comment" onClick={onRemove}>
        <IconTrash size={14} />
      </ActionIcon>
      <pre className={classes.quote}>{comment.quote}</pre>
      <span />
      <Text className={classes.text}>{comment.text}</Text>
    </li>
  );
}
