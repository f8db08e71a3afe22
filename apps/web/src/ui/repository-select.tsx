import { Select } from "@mantine/core";

import { baseName } from "./format";

type Props = {
  roots: readonly string[];
  value: string | undefined;
  onChange: (root: string | undefined) => void;
  /** What choosing none means; without it one has to be chosen. */
  none?: string;
  label?: string;
};

/** Chooses one of the repositories. */
export function RepositorySelect({ roots, value, onChange, none, label = "Repository" }: Props) {
  const known = value === undefined || roots.includes(value) ? roots : [value, ...roots];
  const data = known.map((root) => ({ value: root, label: baseName(root) }));
  return (
    <Select
      aria-label={label}
      w={220}
      searchable={known.length > 8}
      placeholder={known.length === 0 ? "No repository yet" : "Choose a repository"}
      nothingFoundMessage="No such repository"
      data={none === undefined ? data : [{ value: "", label: none }, ...data]}
      value={value ?? (none === undefined ? null : "")}
      onChange={(chosen) => onChange(chosen === null || chosen === "" ? undefined : chosen)}
      renderOption={({ option }) => (
        <span className="truncate" title={option.value}>
          {option.label}
        </span>
      )}
    />
  );
}
