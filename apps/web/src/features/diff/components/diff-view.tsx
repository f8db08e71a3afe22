import { SegmentedControl, Switch, Tooltip } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { IconGitCompare } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";

import { asApiError } from "@/api/error";
import { platform } from "@/platform/current";
import { useCommands } from "@/ui/commands/registry";
import { plural } from "@/ui/format";
import { EmptyState, FailedState, SkeletonRows } from "@/ui/states";
import { tellDone, tellFailed } from "@/ui/toasts";

import { diffKeys, fileDiffQuery } from "../api";
import { fileCommands } from "../commands";
import { type LineComment, useComments } from "../comments";
import { type Member, currentMember, members, useGroups } from "../groups";
import { type DiffSearch, fileScope, scopeLabel, wholeScope, withScope } from "../model";
import { parsePatch } from "../patch";
import { useViewed } from "../viewed";
import { CommentDock } from "./comment-dock";
import type { Spot } from "./diff-line";
import classes from "./diff-view.module.css";
import { FileBody } from "./file-body";
import { FileEditor } from "./file-editor";
import { FileHead } from "./file-head";
import { Lines } from "./kind-letter";
import { ScopePicker } from "./scope-picker";
import { useStable } from "./use-stable";

type Props = { session: string; search: DiffSearch; onSearch: (next: DiffSearch) => void };

/** What changed in a session, a file at a time. */
export function DiffView({ session, search, onSearch }: Props) {
  const { whole, groups } = useGroups(session, search);
  const comments = useComments(session);
  const [goal, setGoal] = useState<(Spot & { path: string }) | null>(null);
  const all = useMemo(() => members(groups), [groups]);
  const show = (comment: LineComment) => {
    const member = all.find((it) => it.file.path === comment.path);
    if (member) onSearch({ ...search, file: comment.path, side: member.side, edit: undefined });
    setGoal({ path: comment.path, side: comment.side, line: comment.to });
  };
  const base = whole.data?.session.base_branch ?? "the base";
  return (
    <div className={classes.view}>
      <div className={classes.bar}>
        <ScopePicker session={session} base={base} scope={wholeScope(search)} onScope={(scope) => onSearch(withScope(search, scope))} />
        {whole.data && (
          <span className="quiet" style={{ whiteSpace: "nowrap" }}>
            {plural(whole.data.files.length, "file")} <Lines added={whole.data.insertions} removed={whole.data.deletions} />
          </span>
        )}
        <span style={{ flex: 1 }} />
        <Tooltip label="Lines that differ in white space only count as the same">
          <Switch label="Hide white space" labelPosition="left" checked={search.space === "ignore"} onChange={(event) => onSearch({ ...search, space: event.currentTarget.checked ? "ignore" : undefined })} />
        </Tooltip>
        <SegmentedControl
          aria-label="How sides stand"
          data={[
            { value: "unified", label: "Unified" },
            { value: "split", label: "Split" },
          ]}
          value={search.split ? "split" : "unified"}
          onChange={(view) => onSearch({ ...search, split: view === "split" || undefined })}
        />
      </div>
      {whole.isPending ? (
        <SkeletonRows count={18} height={20} />
      ) : whole.isError && !whole.data ? (
        <FailedState title="Changes cannot be listed" failure={asApiError(whole.error)} onRetry={() => void whole.refetch()} />
      ) : all.length === 0 ? (
        <NoChanges search={search} base={base} onSearch={onSearch} />
      ) : (
        <Chosen session={session} all={all} search={search} goal={goal} onSearch={onSearch} />
      )}
      <CommentDock session={session} comments={comments} onShow={show} />
    </div>
  );
}

type ChosenProps = Props & { all: Member[]; goal: (Spot & { path: string }) | null };

function Chosen({ session, all, search, goal, onSearch }: ChosenProps) {
  const cache = useQueryClient();
  const viewed = useViewed(session);
  const at = currentMember(all, search);
  const member = all[at];
  const scope = fileScope({ ...search, side: member?.side });
  const file = member?.file;
  const go = (index: number) => {
    const next = all[index];
    if (next) onSearch({ ...search, file: next.file.path, side: next.side, edit: undefined });
  };
  const content = () => {
    const known = file && cache.getQueryData(fileDiffQuery(session, scope, file).queryKey);
    return known?.file.patch == null ? null : parsePatch(known.file.patch.slice(0, 2_000)).newBlob;
  };
  const isViewed = file !== undefined && viewed.isViewed(file, content());
  const mark = (isNow: boolean) => {
    if (!file) return;
    viewed.mark(file, isNow, content());
    if (isNow) go(at + 1);
  };
  const edit = (isNow: boolean) => file && file.kind !== "D" && onSearch({ ...search, file: file.path, side: member.side, edit: isNow || undefined });
  useFileCommands({
    onFile: (direction) => go(at + direction),
    onViewed: () => mark(!isViewed),
    onSplit: () => onSearch({ ...search, split: search.split ? undefined : true }),
    onSpace: () => onSearch({ ...search, space: search.space === "ignore" ? undefined : "ignore" }),
    onEdit: () => edit(search.edit !== true),
    onCopy: () => file && copyPath(file.path),
  });
  usePrefetched(session, { ...search, side: all[at + 1]?.side }, all[at + 1]);
  if (!file) return null;
  return (
    <>
      <FileHead
        file={file}
        group={member.side === undefined ? null : scopeLabel({ kind: member.side }, "")}
        position={{ index: at, total: all.length }}
        isViewed={isViewed}
        isEditing={search.edit === true}
        onFile={(direction) => go(at + direction)}
        onViewed={mark}
        onEdit={edit}
      />
      {search.edit === true && file.kind !== "D" ? (
        <FileEditor session={session} path={file.path} onClose={() => edit(false)} />
      ) : (
        <FileBody
          session={session}
          scope={scope}
          file={file}
          isSplit={search.split === true}
          ignoresSpace={search.space === "ignore"}
          goal={goal?.path === file.path ? goal : null}
          onLeave={(direction) => go(at + direction)}
          onEdit={() => edit(true)}
        />
      )}
    </>
  );
}

function NoChanges({ search, base, onSearch }: { search: DiffSearch; base: string; onSearch: (next: DiffSearch) => void }) {
  if (search.find !== undefined) {
    return (
      <EmptyState icon={<IconGitCompare size={22} />} title="No changed file has this text in its path">
        The filter is <code>{search.find}</code>. <a href="#all" onClick={(event) => { event.preventDefault(); onSearch({ ...search, find: undefined }); }}>Show all files</a>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<IconGitCompare size={22} />} title="Nothing changed">
      {scopeLabel(wholeScope(search), base)}: no file is different.
    </EmptyState>
  );
}

function useFileCommands(moves: Parameters<typeof fileCommands>[0]): void {
  const onFile = useStable(moves.onFile);
  const onViewed = useStable(moves.onViewed);
  const onSplit = useStable(moves.onSplit);
  const onSpace = useStable(moves.onSpace);
  const onEdit = useStable(moves.onEdit);
  const onCopy = useStable(moves.onCopy);
  useCommands(useMemo(() => fileCommands({ onFile, onViewed, onSplit, onSpace, onEdit, onCopy }), [onFile, onViewed, onSplit, onSpace, onEdit, onCopy]));
}

/** The next file is there before it is asked for. */
function usePrefetched(session: string, search: DiffSearch, next: Member | undefined): void {
  const cache = useQueryClient();
  const scope = fileScope(search);
  const key = next ? JSON.stringify(diffKeys.file(session, scope, next.file.path)) : null;
  const prefetch = useStable(() => {
    if (next) void cache.query(fileDiffQuery(session, scope, next.file)).catch(() => undefined);
  });
  useEffect(() => {
    if (key === null) return;
    const timer = setTimeout(prefetch, 300);
    return () => clearTimeout(timer);
  }, [key, prefetch]);
}

function copyPath(path: string): void {
  platform()
    .clipboard.write(path)
    .then(
      () => tellDone(`${path} copied`),
      (error: unknown) => tellFailed("The path was not copied", asApiError(error)),
    );
}
