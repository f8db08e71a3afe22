import { Badge, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { asApiError } from "@/api/error";
import type { Wire } from "@/api/types";
import { CopyButton } from "@/ui/copy-button";
import { Bytes } from "@/ui/figures";
import { FailedState, SkeletonRows } from "@/ui/states";

import { sidesQuery } from "../api";
import { type Conflict, classText, contentText, kindText, takes } from "../model";
import classes from "./guide.module.css";
import { ResultEditor } from "./result-editor";
import { ThreeWayView } from "./three-way-view";

export type Decision = { with: "ours" | "theirs" | "edited" | "delete"; content?: string } | { with: "regenerate" };

type Props = {
  session: string;
  conflict: Conflict;
  onto: string;
  /** Whether a rebase waits, so that something can be decided. */
  canDecide: boolean;
  isBusy: boolean;
  onDecide: (decision: Decision) => void;
};

/** One file in conflict: what each side has, and what is to become of it. */
export function ConflictFile(props: Props) {
  const { session, conflict, onto } = props;
  const query = useQuery(sidesQuery(session, conflict.path));
  return (
    <>
      <FileHead {...props} />
      <div className={classes.notice} data-tone="info">
        {kindText(conflict.kind, onto).long}
        {conflict.class === "lockfile" && conflict.install_command != null && (
          <>
            {" "}
            A package manager writes this file: <code>{conflict.install_command}</code> can make it again from what {onto} has.
          </>
        )}
      </div>
      {query.isPending ? (
        <SkeletonRows count={16} height={20} />
      ) : query.isLoadingError ? (
        <FailedState title="The versions cannot be shown" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <Versions {...props} sides={query.data} />
      )}
    </>
  );
}

function FileHead({ conflict, onto, canDecide, isBusy, onDecide }: Props) {
  const words = [contentText(conflict.content), classText(conflict)].filter((it) => it !== null);
  return (
    <div className={classes.fileHead}>
      <span className="mono truncate">{conflict.path}</span>
      <CopyButton value={conflict.path} what="path" />
      <Badge color="gray">{kindText(conflict.kind, onto).short}</Badge>
      {words.map((word) => (
        <Badge key={word} color="gray" variant="outline">
          {word}
        </Badge>
      ))}
      <span style={{ flex: 1 }} />
      {canDecide && (
        <Group gap={6} wrap="nowrap">
          {conflict.class === "lockfile" && (
            <Button disabled={isBusy} onClick={() => onDecide({ with: "regenerate" })}>
              Make it again
            </Button>
          )}
          <Button variant="default" disabled={isBusy} onClick={() => onDecide({ with: "ours" })}>
            {takes(conflict, "ours") === "deletion" ? `Delete it, as ${onto}` : `Take ${onto}'s`}
          </Button>
          <Button variant="default" disabled={isBusy} onClick={() => onDecide({ with: "theirs" })}>
            {takes(conflict, "theirs") === "deletion" ? "Delete it, as the session" : "Take the session's"}
          </Button>
        </Group>
      )}
    </div>
  );
}

function Versions({ session, conflict, onto, canDecide, isBusy, onDecide, sides }: Props & { sides: Wire["ConflictSides"] }) {
  const { ours, base, theirs, worktree } = sides;
  const isText = conflict.content === "text" && [ours, base, theirs].every((side) => side == null || side.text != null);
  if (!isText) return <Figures onto={onto} conflict={conflict} sides={sides} />;
  const view = <ThreeWayView path={conflict.path} onto={onto} ours={ours?.text ?? null} base={base?.text ?? null} theirs={theirs?.text ?? null} />;
  if (!canDecide || worktree?.text == null) return view;
  return (
    <div className={classes.split}>
      {view}
      <ResultEditor key={`${conflict.path}\n${worktree.text}`} session={session} path={conflict.path} onto={onto} text={worktree.text} isBusy={isBusy} onSave={(content) => onDecide({ with: "edited", content })} />
    </div>
  );
}

/** Versions that have no lines: what is known about them. */
function Figures({ onto, conflict, sides }: { onto: string; conflict: Conflict; sides: Wire["ConflictSides"] }) {
  return (
    <div className={classes.versions}>
      <Figure title={onto} stage={conflict.ours} side={sides.ours} />
      <Figure title="Before both" stage={conflict.base} side={sides.base} />
      <Figure title="This session" stage={conflict.theirs} side={sides.theirs} />
    </div>
  );
}

function Figure({ title, stage, side }: { title: string; stage: Wire["ConflictStage"] | null | undefined; side: Wire["SideContent"] | null | undefined }): ReactNode {
  return (
    <div className={classes.version}>
      <Text fw={600}>{title}</Text>
      {stage == null ? (
        <Text c="dimmed">Not there</Text>
      ) : (
        <>
          <Text>
            {stage.mode}
            {side != null && (
              <>
                , <Bytes value={side.bytes} />
              </>
            )}
            {side?.too_large === true && ", too large to be shown"}
          </Text>
          <Text c="dimmed" size="xs">
            <code>{stage.object.slice(0, 12)}</code>
          </Text>
          {stage.mode === "symlink" && side?.text != null && (
            <Text>
              leads to <code>{side.text}</code>
            </Text>
          )}
        </>
      )}
    </div>
  );
}
