/** The changed files in groups: what is compared as a whole, and what of it is not committed. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { changesQuery } from "./api";
import { type DiffSearch, type FileChange, wholeScope } from "./model";
import { chooseFiles, treeOrder } from "./tree";

export type GroupKey = "whole" | "staged" | "unstaged" | "untracked";
export type Group = { key: GroupKey; side: DiffSearch["side"]; files: readonly FileChange[]; /** With those that the filter leaves out. */ total: number };

/** A file as a member of its group. */
export type Member = { side: DiffSearch["side"]; file: FileChange };

const NONE: FileChange[] = [];

export function useGroups(session: string, search: DiffSearch) {
  const whole = useQuery(changesQuery(session, wholeScope(search)));
  const staged = useQuery(changesQuery(session, { kind: "staged" }));
  const unstaged = useQuery(changesQuery(session, { kind: "unstaged" }));
  const groups = useMemo(
    () => grouped({ whole: whole.data?.files ?? NONE, staged: staged.data?.files ?? NONE, unstaged: unstaged.data?.files ?? NONE }, search.find),
    [whole.data, staged.data, unstaged.data, search.find],
  );
  return { whole, groups };
}

type Lists = { whole: FileChange[]; staged: FileChange[]; unstaged: FileChange[] };

export function grouped({ whole, staged, unstaged }: Lists, find: string | undefined): Group[] {
  // What is new and not staged is what git does not track.
  const tracked = unstaged.filter((file) => file.kind !== "A");
  const untracked = unstaged.filter((file) => file.kind === "A");
  const of = (key: GroupKey, side: DiffSearch["side"], files: FileChange[]): Group => ({ key, side, files: chooseFiles(files, find), total: files.length });
  const rest = [of("staged", "staged", staged), of("unstaged", "unstaged", tracked), of("untracked", "unstaged", untracked)];
  return [of("whole", undefined, whole), ...rest.filter((group) => group.total > 0)];
}

/** All files in the order they are shown in. */
export function members(groups: readonly Group[]): Member[] {
  return groups.flatMap((group) => treeOrder(group.files).map((file) => ({ side: group.side, file })));
}

/** The place of what the address names; without a name, or if that is gone, the first. */
export function currentMember(all: readonly Member[], search: DiffSearch): number {
  const exact = all.findIndex((it) => it.file.path === search.file && it.side === search.side);
  if (exact !== -1) return exact;
  const same = all.findIndex((it) => it.file.path === search.file);
  return same !== -1 ? same : all.length > 0 ? 0 : -1;
}
