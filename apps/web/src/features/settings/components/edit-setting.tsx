import { Button, Group, Modal, SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { DialogButtons } from "@/ui/dialog-buttons";
import { baseName } from "@/ui/format";
import { Ticked } from "@/ui/ticked";

import { type Setting, settingsSchemaQuery } from "../api";
import { NEW_KEY, type Shape, originOf, shapeOf } from "../model";
import { type Layer, useChangeSetting, valueIn } from "../use-change";
import { OriginTag } from "./setting-row";

/** Only what is typed, not what is said about it. */
const MONO = { input: "mono" };

type Props = {
  name: string;
  shown: Setting | undefined;
  ofUser: Setting | undefined;
  repository: string | undefined;
  onClose: () => void;
};

/** Changes one setting, in the user's file or a repository's. */
export function EditSetting({ name, shown, ofUser, repository, onClose }: Props) {
  const [key, setKey] = useState(name === NEW_KEY ? "" : name);
  const [value, setValue] = useState(shown?.value ?? "");
  const origin = shown && originOf(shown);
  const [where, setWhere] = useState<"user" | "repository">(repository !== undefined && origin?.kind !== "user" ? "repository" : "user");
  const layer: Layer = where === "repository" && repository !== undefined ? { kind: "repository", root: repository } : { kind: "user" };
  const schema = useQuery(settingsSchemaQuery()).data;
  const shape = shapeOf(schema, key);
  const change = useChangeSetting(onClose);
  const before = valueIn(layer, shown, ofUser);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate({ key, value, layer });
  };
  return (
    <Modal opened onClose={onClose} title={name === NEW_KEY ? "Set a key" : <span className="mono">{name}</span>} size="lg">
      <form onSubmit={save}>
        <Stack gap="sm">
          {shown ? (
            <Text c="dimmed">
              <Ticked text={shown.description} />
            </Text>
          ) : (
            <TextInput label="Key" placeholder="scripts.test" classNames={MONO} data-autofocus value={key} onChange={(event) => setKey(event.currentTarget.value.trim())} />
          )}
          {origin && (
            <Group gap="xs">
              <Text c="dimmed">The value in force comes from</Text>
              <OriginTag origin={origin} />
              {origin.place !== null && <Text className="mono truncate" title={origin.place}>{origin.place}</Text>}
            </Group>
          )}
          {repository !== undefined && (
            <SegmentedControl
              aria-label="Write it into"
              value={where}
              onChange={(chosen) => setWhere(chosen === "repository" ? "repository" : "user")}
              data={[
                { value: "repository", label: `The file of ${baseName(repository)}` },
                { value: "user", label: "Your file" },
              ]}
            />
          )}
          <ValueField shape={shape} value={value} onChange={setValue} hasFocus={shown !== undefined} />
          {origin?.kind === "environment" && (
            <Text role="status" c="var(--tone-attention-text)">
              An environment variable counts before the files: the change takes effect where it is not set.
            </Text>
          )}
          {origin?.kind === "repository" && where === "user" && (
            <Text role="status" c="var(--tone-attention-text)">
              The repository&apos;s file counts before yours: the change takes effect in other repositories.
            </Text>
          )}
          <DialogButtons
            aside={
              <Button variant="subtle" color="gray" disabled={before === null} onClick={() => change.mutate({ key, value: null, layer })}>
                {where === "user" ? "Take it out of your file" : "Take it out of the repository's file"}
              </Button>
            }
          >
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending} disabled={key === ""}>
              Save
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}

type FieldProps = { shape: Shape; value: string; onChange: (value: string) => void; hasFocus: boolean };

function ValueField({ shape, value, onChange, hasFocus }: FieldProps) {
  const description = [shape.isList ? "Several, with commas between" : null, shape.standard === null ? null : `Default: ${shape.standard === "" ? "empty" : shape.standard}`]
    .filter((line) => line !== null)
    .join(". ");
  const common = { label: "Value", description: description === "" ? undefined : description, "data-autofocus": hasFocus || undefined };
  if (shape.choices) return <Select {...common} data={shape.choices} value={value} onChange={(chosen) => onChange(chosen ?? "")} />;
  return <TextInput {...common} classNames={MONO} value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
}
