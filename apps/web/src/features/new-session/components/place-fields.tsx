import { ActionIcon, Autocomplete, Loader, Select, TextInput } from "@mantine/core";
import { IconFolder, IconFolderOpen, IconGitBranch } from "@tabler/icons-react";

import { asApiError } from "@/api/error";
import type { Wire } from "@/api/types";
import { platform } from "@/platform/current";
import { formatAgo, plural } from "@/ui/format";
import { useNow } from "@/ui/use-now";

import { nameFrom, promptOf } from "../model";
import classes from "./new-session.module.css";
import type { FieldProps } from "./field-props";

/** Where it works: repository, base, name. */
export function PlaceFields({ draft, onChange, known, choices, template }: FieldProps & { known: readonly string[] }) {
  const { repository, isAsking } = choices;
  const found = repository.data;
  const isTyped = draft.repository.trim() !== "";
  return (
    <>
      <Autocomplete
        label="Repository"
        description={found && found.root !== draft.repository.trim() ? `Its top directory is ${found.root}` : undefined}
        placeholder="/home/you/project"
        required
        autoFocus={!isTyped}
        leftSection={<IconFolder size={14} />}
        rightSection={isAsking ? <Loader size={14} /> : <PickFolder onPick={(repository) => onChange({ repository, base: "" })} />}
        data={[...known]}
        limit={12}
        value={draft.repository}
        onChange={(value) => onChange({ repository: value, base: "" })}
        error={isTyped && !isAsking && repository.isError ? problemOf(repository.error) : undefined}
      />
      <div className={classes.pair}>
        <BaseField draft={draft} onChange={onChange} found={found} />
        <TextInput
          label="Name"
          placeholder={nameFrom(promptOf(draft, template)) || "made from the prompt"}
          value={draft.name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

/** Where the platform can show folders, nobody has to type one. */
function PickFolder({ onPick }: { onPick: (folder: string) => void }) {
  const { pickFolder } = platform();
  if (pickFolder === null) return null;
  const pick = () => void pickFolder().then((folder) => (folder === null ? undefined : onPick(folder)));
  return (
    <ActionIcon variant="subtle" aria-label="Choose a folder" title="Choose a folder" onClick={pick}>
      <IconFolderOpen size={14} />
    </ActionIcon>
  );
}

function problemOf(error: unknown): string {
  const { message, hint } = asApiError(error);
  return hint === null ? message : `${message}. ${hint}`;
}

type BaseProps = Pick<FieldProps, "draft" | "onChange"> & { found: Wire["RepositoryDetail"] | undefined };

function BaseField({ draft, onChange, found }: BaseProps) {
  const now = useNow();
  const chosen = found?.bases.find((base) => base.name === (draft.base || found.default_base));
  const groups = found
    ? [
        { group: "Likely", items: found.bases.map((base) => ({ value: base.name, label: labelOf(base, found.default_base) })) },
        { group: "Other branches", items: found.branches.filter((name) => !found.bases.some((base) => base.name === name)) },
      ]
    : [];
  return (
    <Select
      label="Base"
      description={chosen ? standOf(chosen, now) : undefined}
      placeholder={found?.default_base ?? "what the settings say"}
      leftSection={<IconGitBranch size={14} />}
      disabled={!found}
      searchable
      clearable
      data={groups}
      value={draft.base === "" ? null : draft.base}
      onChange={(base) => onChange({ base: base ?? "" })}
    />
  );
}

function labelOf(base: Wire["BaseBranch"], usual: string): string {
  const behind = base.behind != null && base.behind > 0 ? `, ${base.behind} behind` : "";
  const ahead = base.ahead != null && base.ahead > 0 ? `, ${base.ahead} ahead` : "";
  return `${base.name}${base.name === usual ? " (default)" : ""}${behind}${ahead}`;
}

/** How a base stands beside its remote; nothing is said that is not known. */
function standOf(base: Wire["BaseBranch"], now: number): string {
  const start = `${base.is_remote ? "Starts from the remote's" : "Starts from the local branch"}, at ${base.commit.slice(0, 10)}`;
  if (base.note != null) return `${start}; ${base.note}`;
  if (base.behind == null) return `${start}; there is no remote branch beside it`;
  const fetched = base.fetched_at == null ? "" : `, fetched ${formatAgo(base.fetched_at, now)}`;
  return `${start}; ${base.behind === 0 ? "up to date with its remote" : `${plural(base.behind, "commit")} behind its remote`}${fetched}`;
}
