import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconBinary, IconFileDownload, IconGitCompare, IconPackage } from "@tabler/icons-react";
import { useMemo } from "react";

import { asApiError } from "@/api/error";
import { plural } from "@/ui/format";
import { EmptyState, FailedState, SkeletonRows } from "@/ui/states";

import { fileDiffQuery } from "../api";
import type { DiffScope, FileChange } from "../model";
import { type Patch, parsePatch } from "../patch";
import type { Spot } from "./diff-line";
import { FileDiff } from "./file-diff";
import { FileNotes } from "./file-notes";

type Props = {
  session: string;
  scope: DiffScope;
  file: FileChange;
  isSplit: boolean;
  ignoresSpace: boolean;
  goal: Spot | null;
  onLeave: (direction: 1 | -1) => void;
  onEdit: () => void;
};

/** The content of one file's change, whatever it is. */
export function FileBody(props: Props) {
  const { session, scope, file } = props;
  const query = useQuery(fileDiffQuery(session, scope, file));
  const text = query.data?.file.patch;
  const patch = useMemo(() => (text == null ? null : parsePatch(text)), [text]);
  if (query.isPending) return <SkeletonRows count={18} height={20} />;
  const failure = query.isError ? asApiError(query.error) : null;
  if (failure?.code === "diff.unchanged") return <Unchanged onRetry={() => void query.refetch()} />;
  if (query.isLoadingError) return <FailedState title="This change cannot be shown" failure={asApiError(query.error)} onRetry={() => void query.refetch()} />;
  if (query.data.file.patch_too_large || !patch) return <TooLarge file={file} onEdit={props.onEdit} />;
  if (patch.isBinary) return <Binary file={file} patch={patch} />;
  if (patch.isSubmodule) return <Submodule file={file} patch={patch} />;
  return <FileDiff key={file.path} {...props} patch={patch} />;
}

function Unchanged({ onRetry }: { onRetry: () => void }) {
  return (
    <EmptyState icon={<IconGitCompare size={22} />} title="Nothing changed in this file any more" action={<Button variant="default" onClick={onRetry}>Look again</Button>}>
      It is as it was at the other side of the comparison.
    </EmptyState>
  );
}

function TooLarge({ file, onEdit }: { file: FileChange; onEdit: () => void }) {
  const lines = (file.insertions ?? 0) + (file.deletions ?? 0);
  return (
    <EmptyState
      icon={<IconFileDownload size={22} />}
      title="This change is too large to be shown"
      action={file.kind === "D" ? undefined : <Button variant="default" onClick={onEdit}>Open the file</Button>}
    >
      {lines > 0 ? `${plural(lines, "line")} changed. ` : ""}Patches of more than 1 MiB are left out. <code>git diff</code> in the worktree shows it.
    </EmptyState>
  );
}

function Binary({ file, patch }: { file: FileChange; patch: Patch }) {
  const what = file.kind === "A" ? "A new binary file" : file.kind === "D" ? "A binary file was deleted" : "A binary file changed";
  return (
    <>
      <FileNotes file={file} patch={patch} missing={null} hidesSpace={false} />
      <EmptyState icon={<IconBinary size={22} />} title={what}>
        There are no lines to compare.
        <Contents patch={patch} />
      </EmptyState>
    </>
  );
}

function Submodule({ file, patch }: { file: FileChange; patch: Patch }) {
  const of = (sign: string) => patch.hunks.flatMap((hunk) => hunk.lines).find((line) => line.kind === sign && line.text.startsWith("Subproject commit "))?.text.slice("Subproject commit ".length);
  const before = of("del");
  const after = of("add");
  return (
    <EmptyState icon={<IconPackage size={22} />} title={before === undefined ? "A new submodule" : after === undefined ? "A submodule was removed" : "A submodule is at another commit"}>
      {before !== undefined && <div>Before: <code>{before}</code></div>}
      {after !== undefined && <div>Now: <code>{after}</code></div>}
      <div>{file.path} is a repository of its own.</div>
    </EmptyState>
  );
}

function Contents({ patch }: { patch: Patch }) {
  if (patch.oldBlob === null || patch.newBlob === null) return null;
  return (
    <div>
      Content <code>{patch.oldBlob}</code> became <code>{patch.newBlob}</code>.
    </div>
  );
}
