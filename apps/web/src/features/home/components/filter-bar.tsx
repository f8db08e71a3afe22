import { Badge, Button, Group, MultiSelect, SegmentedControl, Select, Switch, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { IconLayoutKanban, IconPlus, IconSearch, IconTable } from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";

import type { Session } from "@/api/types";
import { type Command, useCommands } from "@/ui/commands/registry";
import { baseName, formatWhole, plural } from "@/ui/format";
import { STATUS_LOOKS, STATUS_ORDER } from "@/ui/session-status";

import classes from "./home.module.css";
import type { SearchProps } from "./home";

type Props = SearchProps & { all: readonly Session[]; shown: number };

export function FilterBar({ all, shown, search, onSearch }: Props) {
  const choices = useMemo(() => choicesOf(all), [all]);
  const set = (change: Partial<typeof search>) => onSearch({ ...search, ...change });
  return (
    <div className={classes.filters}>
      <TextFilter value={search.text ?? ""} onChange={(text) => set({ text: text === "" ? undefined : text })} />
      <Select
        aria-label="Repository"
        placeholder="Any repository"
        w={150}
        clearable
        searchable
        data={choices.repositories}
        value={search.repo ?? null}
        onChange={(repo) => set({ repo: repo ?? undefined })}
      />
      <MultiSelect
        aria-label="Status"
        placeholder={search.status ? undefined : "Any status"}
        w={search.status ? 250 : 130}
        clearable
        data={STATUS_ORDER.map((status) => ({ value: status, label: STATUS_LOOKS[status].label }))}
        value={search.status ?? []}
        onChange={(status) => set({ status: status.length > 0 ? (status) : undefined })}
      />
      <Select
        aria-label="Agent"
        placeholder="Any agent"
        w={110}
        clearable
        data={choices.agents}
        value={search.agent ?? null}
        onChange={(agent) => set({ agent: agent ?? undefined })}
      />
      <Button
        variant={search.needs ? "light" : "default"}
        aria-pressed={search.needs ?? false}
        onClick={() => set({ needs: search.needs ? undefined : true })}
        rightSection={choices.waiting > 0 && <Badge size="xs" circle={choices.waiting < 10}>{choices.waiting}</Badge>}
      >
        Needs me
      </Button>
      <Switch
        label="Put away too"
        checked={search.archived ?? false}
        onChange={(event) => set({ archived: event.currentTarget.checked ? true : undefined })}
      />
      <Group gap={8} wrap="nowrap" ml="auto">
        <Text c="dimmed" size="xs" className="nowrap" role="status">
          {shown === all.length ? plural(all.length, "session") : `${formatWhole(shown)} of ${plural(all.length, "session")}`}
        </Text>
        <SegmentedControl
          aria-label="View"
          value={search.view ?? "table"}
          onChange={(view) => set({ view: view === "board" ? "board" : undefined })}
          data={[
            { value: "table", label: <ViewLabel icon={<IconTable size={14} />} text="Table" /> },
            { value: "board", label: <ViewLabel icon={<IconLayoutKanban size={14} />} text="Board" /> },
          ]}
        />
        <Button component={Link} to="/new" leftSection={<IconPlus size={14} />}>
          New session
        </Button>
      </Group>
    </div>
  );
}

function ViewLabel({ icon, text }: { icon: React.ReactNode; text: string }) {
  return (
    <Group gap={5} wrap="nowrap">
      {icon}
      {text}
    </Group>
  );
}

function TextFilter({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const tell = useDebouncedCallback((text: string) => {
    onChange(text);
    setTyped(null);
  }, 120);
  const commands = useMemo<Command[]>(
    () => [{ id: "home.filter", title: "Filter sessions by text", group: "Sessions", keys: "/", run: () => field.current?.focus() }],
    [],
  );
  useCommands(commands);
  return (
    <TextInput
      ref={field}
      className={classes.text}
      aria-label="Filter by text"
      placeholder="Filter by name, prompt, branch, issue"
      leftSection={<IconSearch size={14} />}
      value={typed ?? value}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        tell(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" || event.key === "Enter") event.currentTarget.blur();
      }}
    />
  );
}

function choicesOf(sessions: readonly Session[]) {
  const roots = [...new Set(sessions.map((session) => session.repo_root))].sort();
  const names = new Set(roots.map(baseName));
  const areUnique = names.size === roots.length;
  return {
    repositories: roots.map((root) => ({ value: root, label: areUnique ? baseName(root) : root })),
    agents: [...new Set(sessions.map((session) => session.agent))].sort(),
    waiting: sessions.filter((session) => session.needs_me).length,
  };
}
