import { Group, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { logQuery } from "@/api/queries/session-history";

import { type Commit, type DiffScope, iterationScope, placeLabel, scopeLabel } from "../model";

type Props = { session: string; base: string; scope: DiffScope; onScope: (scope: DiffScope) => void };

type Choice = { value: string; label: string; scope: DiffScope };

/** What is compared with what: everything, one iteration, since one, or any two. */
export function ScopePicker({ session, base, scope, onScope }: Props) {
  const { data: history } = useQuery(logQuery(session));
  const commits = history?.commits ?? [];
  const finished = (history?.iterations ?? []).filter((it) => it.head_after != null);
  const whole: Choice[] = [{ value: "base", label: scopeLabel({ kind: "base" }, base), scope: { kind: "base" } }];
  const single: Choice[] = finished.flatMap((it) => {
    const only = iterationScope(it);
    return only ? [{ value: `only:${it.number}`, label: `Iteration ${it.number} alone`, scope: only }] : [];
  });
  const since: Choice[] = finished.map((it) => ({
    value: `since:${it.number}`,
    label: `Since before iteration ${it.number}`,
    scope: { kind: "since", iteration: it.number },
  }));
  const two: Choice = { value: "two", label: "Any two commits…", scope: { kind: "between", from: "base", to: "head" } };
  const choices = [...whole, ...single.toReversed(), ...since.toReversed(), two];
  const current = choices.find((it) => it.value !== "two" && isSame(it.scope, scope)) ?? (scope.kind === "between" ? two : undefined);
  const data = [
    { group: "As a whole", items: plain(whole) },
    { group: "One iteration", items: plain(single.toReversed()) },
    { group: "Since", items: plain(since.toReversed()) },
    { group: "Others", items: plain([two]) },
  ].filter((group) => group.items.length > 0);
  return (
    <Group gap={6} wrap="nowrap">
      <Select
        aria-label="What is compared"
        w={210}
        data={data}
        value={current?.value ?? null}
        placeholder={scopeLabel(scope, base, commits)}
        onChange={(value) => {
          const chosen = choices.find((it) => it.value === value);
          if (chosen) onScope(chosen.scope);
        }}
        maxDropdownHeight={360}
      />
      {scope.kind === "between" && current?.value === "two" && <TwoPlaces scope={scope} base={base} commits={commits} iterations={finished.map((it) => it.number)} onScope={onScope} />}
    </Group>
  );
}

type TwoProps = { scope: Extract<DiffScope, { kind: "between" }>; base: string; commits: Commit[]; iterations: number[]; onScope: (scope: DiffScope) => void };

function TwoPlaces({ scope, base, commits, iterations, onScope }: TwoProps) {
  const named = ["base", ...iterations.map((it) => `iteration:${it}`), "head"];
  const data = [
    { group: "Named", items: named.map((value) => ({ value, label: placeLabel(value, base) })) },
    { group: "Commits", items: commits.map(({ id }) => ({ value: id, label: placeLabel(id, base, commits) })) },
  ].filter((group) => group.items.length > 0);
  const known = new Set([...named, ...commits.map((it) => it.id)]);
  const strange = [scope.from, scope.to].filter((it) => !known.has(it));
  if (strange.length > 0) data.push({ group: "Others", items: [...new Set(strange)].map((value) => ({ value, label: placeLabel(value, base) })) });
  return (
    <>
      <Select aria-label="From" w={190} searchable data={data} value={scope.from} onChange={(from) => from !== null && onScope({ ...scope, from })} />
      <Text c="dimmed">to</Text>
      <Select aria-label="To" w={190} searchable data={data} value={scope.to} onChange={(to) => to !== null && onScope({ ...scope, to })} />
    </>
  );
}

function plain(choices: Choice[]) {
  return choices.map(({ value, label }) => ({ value, label }));
}

function isSame(one: DiffScope, other: DiffScope): boolean {
  if (one.kind === "between" && other.kind === "between") return one.from === other.from && one.to === other.to;
  if (one.kind === "since" && other.kind === "since") return one.iteration === other.iteration;
  return one.kind === other.kind;
}
