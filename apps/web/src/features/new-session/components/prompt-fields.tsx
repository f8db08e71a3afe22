import { Select, TextInput, Textarea } from "@mantine/core";

import type { FieldProps } from "./field-props";
import classes from "./new-session.module.css";

/** What is to be done. */
export function PromptFields({ draft, onChange, choices, template }: FieldProps) {
  return (
    <>
      <div className={classes.pair}>
        <Select
          label="Template"
          placeholder={choices.templates.length === 0 ? "There are none" : "None"}
          disabled={choices.templates.length === 0}
          description={template?.description}
          searchable
          clearable
          data={[...new Set(choices.templates.map((it) => it.name))]}
          value={draft.template === "" ? null : draft.template}
          onChange={(name) => onChange({ template: name ?? "", variables: {} })}
          error={choices.damaged.length > 0 ? `Some cannot be read: ${choices.damaged.map((it) => it.file).join(", ")}` : undefined}
        />
        <TextInput label="Issue" placeholder="number or address" value={draft.issue} onChange={(event) => onChange({ issue: event.currentTarget.value })} />
      </div>
      {template && template.variables.length > 0 && (
        <div className={classes.pair}>
          {template.variables.map((variable) => (
            <TextInput
              key={variable.name}
              label={variable.name}
              description={variable.description}
              required={variable.default == null}
              placeholder={variable.default ?? undefined}
              value={draft.variables[variable.name] ?? ""}
              onChange={(event) => onChange({ variables: { ...draft.variables, [variable.name]: event.currentTarget.value } })}
            />
          ))}
        </div>
      )}
      <Textarea
        label="Prompt"
        required={template?.prompt == null}
        autoFocus={draft.repository !== ""}
        autosize
        minRows={6}
        maxRows={22}
        placeholder={template?.prompt ?? "What the agent should do. A slash command of your own works too."}
        value={draft.prompt}
        onChange={(event) => onChange({ prompt: event.currentTarget.value })}
      />
      <Textarea
        label="Constraints"
        description="What the agent must keep to, in every iteration."
        autosize
        minRows={2}
        maxRows={8}
        value={draft.constraints}
        onChange={(event) => onChange({ constraints: event.currentTarget.value })}
      />
    </>
  );
}
