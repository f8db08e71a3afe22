import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { IconFileAlert } from "@tabler/icons-react";
import { useMemo, useState } from "react";

import { asApiError } from "@/api/error";
import type { Wire } from "@/api/types";
import { Bytes } from "@/ui/figures";
import { Keys } from "@/ui/kbd";
import { EmptyState, FailedState, SkeletonRows } from "@/ui/states";
import { tellDone, tellFailed } from "@/ui/toasts";
import { dropDraft, useDraft } from "@/ui/use-draft";

import { diffKeys, saveFile, worktreeFileQuery } from "../api";
import classes from "./diff-view.module.css";

type Props = { session: string; path: string; onClose: () => void };

/** A file of the worktree, to be read and changed. */
export function FileEditor({ session, path, onClose }: Props) {
  // The editor keeps what it began with; saving tells if the file is another by then.
  const query = useQuery(worktreeFileQuery(session, path));
  if (query.isPending) return <SkeletonRows count={18} height={20} />;
  if (query.isLoadingError) return <FailedState title="The file cannot be read" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />;
  const file = query.data;
  if (file.text == null) {
    return (
      <EmptyState icon={<IconFileAlert size={22} />} title={file.is_too_large ? "This file is too large to be edited here" : "This file is no UTF-8 text"} action={<Button variant="default" onClick={onClose}>Back</Button>}>
        It has <Bytes value={file.bytes} />. Open it in an editor on this machine.
      </EmptyState>
    );
  }
  return <TextEditor key={path} session={session} file={file} text={file.text} onClose={onClose} />;
}

type TextProps = { session: string; file: Wire["FileAnswer"]; text: string; onClose: () => void };

function TextEditor({ session, file, text: given, onClose }: TextProps) {
  const draft = `edit.${session}.${file.path}`;
  const { text, write: setText } = useDraft(draft, given);
  const [version, setVersion] = useState(file.version);
  const [saved, setSaved] = useState(given);
  const save = useSave(session, file.path, (answer, sent) => {
    setVersion(answer.version);
    setSaved(sent);
    dropDraft(draft);
  });
  const leave = () => {
    dropDraft(draft);
    onClose();
  };
  const lines = useMemo(() => Array.from({ length: text.split("\n").length }, (_, line) => line + 1).join("\n"), [text]);
  const isChanged = text !== saved;
  const error = save.error === null ? null : asApiError(save.error);
  const submit = (more: Partial<Wire["SaveFile"]> = {}) => save.mutate({ text, version: version ?? null, ...more });
  return (
    <>
      <div className={classes.bar}>
        <Text c="dimmed" mr="auto">
          {isChanged ? "Changed here, not saved" : "As in the worktree"}
        </Text>
        <Button variant="default" onClick={leave}>
          {isChanged ? "Leave without saving" : "Close"}
        </Button>
        <Button disabled={!isChanged} loading={save.isPending} onClick={() => submit()} rightSection={<Keys keys="mod+s" />}>
          Save
        </Button>
      </div>
      {error?.code === "file.changed" && <Underneath session={session} path={file.path} onOverwrite={(theirs) => submit({ version: theirs })} onTake={(answer) => {
        setText(answer.text ?? "");
        setSaved(answer.text ?? "");
        setVersion(answer.version);
        save.reset();
      }} />}
      {error?.code === "session.busy" && (
        <div className={classes.conflict} data-tone="attention" role="alert">
          <Text mr="auto">{error.message}. Saving now could surprise the agent.</Text>
          <Button variant="default" onClick={() => submit({ while_running: true })}>
            Save all the same
          </Button>
        </div>
      )}
      <div className={classes.editor}>
        <pre className={classes.numbers} aria-hidden>
          {lines}
        </pre>
        <textarea
          className={classes.field}
          aria-label={`Content of ${file.path}`}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              if (isChanged) submit();
            }
          }}
        />
      </div>
    </>
  );
}

function useSave(session: string, path: string, onSaved: (answer: Wire["FileAnswer"], text: string) => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: Wire["SaveFile"]) => saveFile(session, path, body),
    onSuccess: (answer, body) => {
      cache.setQueryData(diffKeys.worktreeFile(session, path), answer);
      onSaved(answer, body.text ?? "");
      tellDone(`${path} saved`);
      void cache.invalidateQueries({ queryKey: diffKeys.of(session), predicate: (query) => query.queryKey[3] !== "worktree" });
    },
    onError: (error) => {
      const { code } = asApiError(error);
      if (code !== "file.changed" && code !== "session.busy") tellFailed("The file was not saved", asApiError(error));
    },
  });
}

type UnderneathProps = { session: string; path: string; onOverwrite: (version: string | null) => void; onTake: (answer: Wire["FileAnswer"]) => void };

/** Somebody else saved the file meanwhile. */
function Underneath({ session, path, onOverwrite, onTake }: UnderneathProps) {
  const query = useQuery({ ...worktreeFileQuery(session, path), staleTime: 0, refetchOnMount: "always" });
  const now = query.isFetching ? undefined : query.data;
  return (
    <div className={classes.conflict} data-tone="attention" role="alert">
      <Text mr="auto">The file was changed in the worktree since you opened it. Nothing was saved.</Text>
      <Group gap="xs" wrap="nowrap">
        <Button variant="default" disabled={!now} onClick={() => now && onTake(now)}>
          Take that one, drop mine
        </Button>
        <Button color="red" variant="light" disabled={!now} onClick={() => now && onOverwrite(now.version ?? null)}>
          Replace it with mine
        </Button>
      </Group>
    </div>
  );
}
