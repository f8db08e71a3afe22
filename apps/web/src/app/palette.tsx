import { Modal, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";

import { sessionsQuery } from "@/api/queries/sessions";
import type { Session } from "@/api/types";
import { pageFirst } from "@/ui/commands/groups";
import { match } from "@/ui/commands/match";
import { type Command, useAllCommands } from "@/ui/commands/registry";
import { baseName } from "@/ui/format";
import { groupBy } from "@/ui/group-by";
import { Keys } from "@/ui/kbd";
import { StatusBadge } from "@/ui/status-badge";

import classes from "./palette.module.css";

/** Entries that are shown at once; a better word finds the others. */
const SHOWN = 60;

type Entry = { command: Command; session?: Session };

/** Finds everything: commands of the page, pages, sessions. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const entries = useEntries(query);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.command.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      setAt((at + step + entries.length) % entries.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(entries[at]);
    }
  };
  return (
    <Modal opened onClose={onClose} withCloseButton={false} size={620} padding={0} aria-label="Search or run a command">
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={classes.input}
        leftSection={<IconSearch size={16} />}
        placeholder="Search sessions and commands"
        aria-label="Search sessions and commands"
        role="combobox"
        aria-expanded
        aria-controls="palette-entries"
        aria-activedescendant={entries.length > 0 ? `palette-${at}` : undefined}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div ref={list} id="palette-entries" role="listbox" aria-label="Found" className={classes.list}>
        {entries.length === 0 && <p className={classes.none}>Nothing fits.</p>}
        {entries.map((entry, index) => (
          <Row key={entry.command.id} entry={entry} id={`palette-${index}`} isAt={index === at} isFirst={entries[index - 1]?.command.group !== entry.command.group} onRun={() => run(entry)} />
        ))}
      </div>
    </Modal>
  );
}

type RowProps = { entry: Entry; id: string; isAt: boolean; isFirst: boolean; onRun: () => void };

function Row({ entry: { command, session }, id, isAt, isFirst, onRun }: RowProps) {
  return (
    <>
      {isFirst && (
        <div className={classes.group} role="presentation">
          {command.group}
        </div>
      )}
      <div id={id} role="option" aria-selected={isAt} className={classes.entry} onClick={onRun}>
        <span className="truncate">{command.title}</span>
        {session && <span className={`${classes.where ?? ""} quiet truncate`}>{baseName(session.repo_root)}</span>}
        <span className={classes.space} />
        {session && <StatusBadge status={session.status} />}
        {command.keys !== undefined && <Keys keys={command.keys} />}
      </div>
    </>
  );
}

function useEntries(query: string): Entry[] {
  const commands = useAllCommands();
  const { data } = useQuery(sessionsQuery());
  const navigate = useNavigate();
  return useMemo(() => {
    const sessions = (data?.sessions ?? []).map(
      (session): Entry => ({
        session,
        command: {
          id: `session.${session.id}`,
          title: session.name,
          group: "Sessions",
          keywords: `${session.id} ${session.branch_name} ${session.repo_root}`,
          run: () => void navigate({ to: "/sessions/$session", params: { session: session.id } }),
        },
      }),
    );
    const known = new Map<string, Entry>();
    for (const command of commands) if (command.isHidden !== true) known.set(command.id, { command });
    if (query === "") {
      const waiting = sessions.filter(({ session }) => session?.needs_me);
      return inGroups([...waiting, ...known.values()].sort((one, other) => pageFirst(one.command, other.command)).slice(0, SHOWN));
    }
    const all = [...known.values(), ...sessions];
    const scored = all.flatMap((entry) => {
      const score = match(query, `${entry.command.title} ${entry.command.keywords ?? ""}`);
      return score === null ? [] : [{ entry, score }];
    });
    return inGroups(scored.sort((one, other) => other.score - one.score).slice(0, SHOWN).map(({ entry }) => entry));
  }, [commands, data, query, navigate]);
}

/** The group with the best entry comes first, each group in one piece. */
function inGroups(entries: Entry[]): Entry[] {
  return [...groupBy(entries, (entry) => entry.command.group).values()].flat();
}
