import { ActionIcon, Autocomplete, Button, Group, Input, Select, Stack, TextInput, Tooltip } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useRef } from "react";

import type { Wire } from "@/api/types";

import { type Variant, emptyVariant } from "../model";
import type { FieldProps } from "./field-props";
import classes from "./new-session.module.css";

/** More than anybody compares. */
const MOST = 12;

/** Who works on it; several at once make one session each. */
export function Variants({ draft, onChange, choices, template }: FieldProps) {
  const { variants } = draft;
  const set = (key: number, change: Partial<Variant>) => onChange({ variants: variants.map((it) => (it.key === key ? { ...it, ...change } : it)) });
  // A key never comes back: one that was removed may have a session already.
  const lastKey = useRef(Math.max(...variants.map((it) => it.key)));
  const add = () => {
    const key = (lastKey.current += 1);
    onChange({ variants: [...variants, { ...(variants.at(-1) ?? emptyVariant(key)), key }] });
  };
  return (
    <Stack gap={8}>
      <Group justify="space-between">
        <Input.Label>Agents</Input.Label>
        <Button variant="subtle" size="compact-xs" leftSection={<IconPlus size={13} />} disabled={variants.length >= MOST} onClick={add}>
          Add a variant
        </Button>
      </Group>
      {variants.map((variant, index) => (
        <Row
          key={variant.key}
          variant={variant}
          isFirst={index === 0}
          isOnly={variants.length === 1}
          choices={choices}
          template={template}
          onChange={(change) => set(variant.key, change)}
          onRemove={() => onChange({ variants: variants.filter((it) => it.key !== variant.key) })}
        />
      ))}
      {draft.variants.map((variant) => hintFor(variant, choices.agents)).find((hint) => hint !== null)}
    </Stack>
  );
}

type RowProps = Pick<FieldProps, "choices" | "template"> & {
  variant: Variant;
  isFirst: boolean;
  isOnly: boolean;
  onChange: (change: Partial<Variant>) => void;
  onRemove: () => void;
};

function Row({ variant, isFirst, isOnly, choices, template, onChange, onRemove }: RowProps) {
  const usual = choices.agents.find((agent) => agent.is_default);
  const agent = choices.agents.find((it) => it.name === (variant.agent === "" ? (template?.agent ?? usual?.name) : variant.agent));
  const environment = choices.environments.find((it) => (variant.environment === "" ? it.is_default : it.name === variant.environment));
  const label = (text: string) => (isFirst ? { label: text } : { "aria-label": text });
  return (
    <div className={classes.variant}>
      <Select
        {...label("Agent")}
        placeholder={template?.agent ?? usual?.name ?? "default"}
        clearable
        data={choices.agents.map((it) => ({ value: it.name, label: it.program == null ? `${it.name} (not installed)` : it.name }))}
        value={variant.agent === "" ? null : variant.agent}
        onChange={(name) => onChange({ agent: name ?? "" })}
      />
      <TextInput {...label("Model")} placeholder={template?.model ?? agent?.model ?? "the agent's own"} value={variant.model} onChange={(event) => onChange({ model: event.currentTarget.value })} />
      <Autocomplete {...label("Mode")} placeholder={template?.mode ?? "usual"} data={environment?.modes ?? []} value={variant.mode} onChange={(mode) => onChange({ mode })} />
      <Select
        {...label("Environment")}
        placeholder={environment?.name ?? "none"}
        clearable
        disabled={choices.environments.length === 0}
        data={choices.environments.map((it) => it.name)}
        value={variant.environment === "" ? null : variant.environment}
        onChange={(name) => onChange({ environment: name ?? "" })}
      />
      <Tooltip label="Remove this variant">
        <ActionIcon aria-label="Remove this variant" disabled={isOnly} onClick={onRemove} mb={1}>
          <IconX size={15} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** What stands in the way of an agent, before it is tried. */
function hintFor(variant: Variant, agents: readonly Wire["Agent"][]) {
  const agent = agents.find((it) => (variant.agent === "" ? it.is_default : it.name === variant.agent));
  if (!agent) return null;
  const text = agent.program == null ? `${agent.name} is not installed.` : agent.login === "missing" ? `${agent.name} is not logged in: ${agent.login_hint}` : null;
  return text === null ? null : (
    <span key={agent.name} className={classes.note} role="status">
      {text}
    </span>
  );
}
