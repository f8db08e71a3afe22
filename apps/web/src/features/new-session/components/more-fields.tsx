import { Autocomplete, Checkbox, Collapse, MultiSelect, Select, TagsInput, TextInput, Textarea, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";

import type { Wire } from "@/api/types";

import type { FieldProps } from "./field-props";
import classes from "./new-session.module.css";

const POLICIES: Record<Wire["PermissionPolicy"], string> = {
  allow: "allow everything",
  rules: "by rules",
  ask: "ask me",
};
const ISOLATIONS: Record<Wire["Isolation"], string> = {
  sandbox: "sandbox: keep it in its worktree",
  guard: "guard: say what changed outside",
  none: "none",
};

const choicesOf = (labels: Record<string, string>) => Object.entries(labels).map(([value, label]) => ({ value, label }));

/** What is seldom said. */
export function MoreFields({ draft, onChange, choices, template }: FieldProps) {
  const [isOpen, setIsOpen] = useState(false);
  const scripts = choices.commands.filter((it) => it.permission !== "not_set").map((it) => it.command);
  return (
    <>
      <Autocomplete
        label="Script"
        description="Runs after each iteration, and says whether it passed."
        placeholder={template?.script ?? "npm test"}
        data={[...new Set(scripts)]}
        value={draft.script}
        onChange={(script) => onChange({ script })}
      />
      <UnstyledButton onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen} className={classes.more}>
        {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />} More
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <div className={classes.fields}>
          <div className={classes.pair}>
            <TextInput label="Budget" placeholder="2.50 or 500k tokens" value={draft.budget} onChange={(event) => onChange({ budget: event.currentTarget.value })} />
            <TextInput label="Time limit of an iteration" placeholder="30m; 0 means none" value={draft.timeout} onChange={(event) => onChange({ timeout: event.currentTarget.value })} />
            <Select label="When the agent uses a tool" placeholder="as the settings say" clearable data={choicesOf(POLICIES)} value={draft.permissions || null} onChange={(value) => onChange({ permissions: (value ?? "") as typeof draft.permissions })} />
            <Select label="Isolation" placeholder="as the settings say" clearable data={choicesOf(ISOLATIONS)} value={draft.isolation || null} onChange={(value) => onChange({ isolation: (value ?? "") as typeof draft.isolation })} />
            <MultiSelect label="MCP servers" placeholder={draft.mcp.length === 0 ? "those of the settings" : undefined} data={choices.servers.map((it) => it.name)} value={draft.mcp} onChange={(mcp) => onChange({ mcp })} />
            <TagsInput label="Toolboxes" placeholder={draft.toolboxes.length === 0 ? "those of the settings" : undefined} value={draft.toolboxes} onChange={(toolboxes) => onChange({ toolboxes })} />
            <Autocomplete
              label="Work on a branch that exists"
              disabled={draft.variants.length > 1}
              placeholder="a new branch"
              data={choices.repository.data?.branches ?? []}
              value={draft.branch}
              onChange={(branch) => onChange({ branch })}
            />
          </div>
          <Textarea label="Notes" description="What you want to remember; the agent is told too." autosize minRows={2} value={draft.notes} onChange={(event) => onChange({ notes: event.currentTarget.value })} />
          <Checkbox
            label="Allow the commands of the repository's own settings file"
            description="Only if you trust what the repository wants to run."
            checked={draft.allowCommands}
            onChange={(event) => onChange({ allowCommands: event.currentTarget.checked })}
          />
        </div>
      </Collapse>
    </>
  );
}
