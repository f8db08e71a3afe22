import { TextInput } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { IconFilter } from "@tabler/icons-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";

import { asApiError } from "@/api/error";
import { FailedState, SkeletonRows } from "@/ui/states";

import { useComments } from "../comments";
import { type Group, currentMember, members, useGroups } from "../groups";
import { type DiffSearch, type FileChange, scopeLabel, wholeScope } from "../model";
import { type TreeRow, treeRows } from "../tree";
import { useViewed } from "../viewed";
import classes from "./changed-files.module.css";
import { FileTreeRow } from "./file-tree-row";

type Props = {
  session: string;
  search: DiffSearch;
  onSearch: (next: DiffSearch) => void;
  /** Shows a file that was chosen. */
  onFile: (next: DiffSearch) => void;
};

export type PanelRow = (TreeRow & { side: DiffSearch["side"] }) | { kind: "group"; key: string; title: string; count: number; isOpen: boolean };

const ROW = 26;

/** The changed files as a tree, and what of them is not committed. */
export function ChangedFiles({ session, search, onSearch, onFile }: Props) {
  const { whole, groups } = useGroups(session, search);
  const title = scopeLabel(wholeScope(search), whole.data?.session.base_branch ?? "the base");
  return (
    <div className={classes.panel}>
      <div className={classes.filter}>
        <TextInput
          aria-label="Filter files"
          placeholder="Filter files"
          leftSection={<IconFilter size={13} />}
          value={search.find ?? ""}
          onChange={(event) => onSearch({ ...search, find: event.currentTarget.value === "" ? undefined : event.currentTarget.value })}
        />
      </div>
      {whole.isPending ? (
        <SkeletonRows count={14} height={ROW} />
      ) : whole.isError && !whole.data ? (
        <FailedState isSmall title="Changes cannot be listed" failure={asApiError(whole.error)} onRetry={() => void whole.refetch()} />
      ) : groups.every((group) => group.files.length === 0) ? (
        <p className={classes.none}>{search.find === undefined ? `${title}: no file is changed.` : "No changed file fits."}</p>
      ) : (
        <Tree session={session} groups={groups} title={title} search={search} onFile={onFile} />
      )}
    </div>
  );
}

function useRows(groups: Group[], title: string) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => panelRows(groups, title, closed), [groups, title, closed]);
  const toggle = (key: string, isOpen = closed.has(key)) => setClosed(isOpen ? new Set([...closed].filter((it) => it !== key)) : new Set([...closed, key]));
  return { rows, toggle };
}

const TITLES = { staged: "Staged", unstaged: "Not staged", untracked: "Untracked" };

function panelRows(groups: Group[], title: string, closed: ReadonlySet<string>): PanelRow[] {
  return groups.flatMap((group) => {
    const isOpen = !closed.has(group.key);
    const head: PanelRow = { kind: "group", key: group.key, title: group.key === "whole" ? title : TITLES[group.key], count: group.files.length, isOpen };
    const below = isOpen ? treeRows(group.files, group.key, (key) => closed.has(key)).map((row) => ({ ...row, side: group.side })) : [];
    return [head, ...below];
  });
}

type TreeProps = Omit<Props, "onSearch"> & { groups: Group[]; title: string };

function Tree({ session, groups, title, search, onFile }: TreeProps) {
  const { rows, toggle } = useRows(groups, title);
  const viewed = useViewed(session);
  const comments = useComments(session);
  const commented = useMemo(() => new Set(comments.map((it) => it.path)), [comments]);
  const id = useId();
  const [active, setActive] = useState<string | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- rows come from the virtualizer, so it must not be memoised
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: 12 });
  const all = useMemo(() => members(groups), [groups]);
  const current = all[currentMember(all, search)];
  const isChosen = (row: PanelRow) => row.kind === "file" && row.file.path === current?.file.path && row.side === current.side;
  const chosenAt = rows.findIndex(isChosen);
  const found = active === null ? -1 : rows.findIndex((row) => row.key === active);
  const activeAt = found !== -1 ? found : Math.max(chosenAt, 0);
  useEffect(() => {
    if (chosenAt !== -1) virtual.scrollToIndex(chosenAt, { align: "auto" });
  }, [chosenAt, virtual]);
  const open = (row: PanelRow) => {
    setActive(row.key);
    if (row.kind === "file") choose(row.file, row.side);
    else toggle(row.key);
  };
  const choose = (file: FileChange, side: DiffSearch["side"]) => onFile({ ...search, file: file.path, side, edit: undefined });
  const moveTo = (index: number) => {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
    if (!row) return;
    setActive(row.key);
    virtual.scrollToIndex(rows.indexOf(row), { align: "auto" });
  };
  const press = (event: KeyboardEvent) => {
    const row = rows[activeAt];
    const act = row && ACTIONS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act({ row, at: activeAt, last: rows.length - 1, moveTo, toggle, open });
  };
  return (
    <div
      ref={scroller}
      className={classes.tree}
      role="tree"
      aria-label="Changed files"
      tabIndex={0}
      aria-activedescendant={rows[activeAt] ? `${id}-${activeAt}` : undefined}
      onKeyDown={press}
    >
      <div role="none" style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <FileTreeRow
              key={row.key}
              id={`${id}-${index}`}
              row={row}
              start={start}
              isSelected={isChosen(row)}
              isActive={index === activeAt}
              isViewed={row.kind === "file" && row.side === undefined && viewed.isViewed(row.file)}
              hasComment={row.kind === "file" && commented.has(row.file.path)}
              onOpen={() => open(row)}
            />
          );
        })}
      </div>
    </div>
  );
}

type Action = (given: {
  row: PanelRow;
  at: number;
  last: number;
  moveTo: (index: number) => void;
  toggle: (key: string, isOpen?: boolean) => void;
  open: (row: PanelRow) => void;
}) => void;

const ACTIONS: Record<string, Action | undefined> = {
  ArrowDown: ({ at, moveTo }) => moveTo(at + 1),
  ArrowUp: ({ at, moveTo }) => moveTo(at - 1),
  PageDown: ({ at, moveTo }) => moveTo(at + 20),
  PageUp: ({ at, moveTo }) => moveTo(at - 20),
  Home: ({ moveTo }) => moveTo(0),
  End: ({ last, moveTo }) => moveTo(last),
  ArrowRight: ({ row, at, moveTo, toggle }) => (row.kind !== "file" && !row.isOpen ? toggle(row.key, true) : moveTo(at + 1)),
  ArrowLeft: ({ row, at, moveTo, toggle }) => (row.kind !== "file" && row.isOpen ? toggle(row.key, false) : moveTo(at - 1)),
  Enter: ({ row, open }) => open(row),
  " ": ({ row, open }) => open(row),
};
