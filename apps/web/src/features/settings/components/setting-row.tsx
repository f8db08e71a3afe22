import { ActionIcon, Text, Tooltip } from "@mantine/core";
import { IconPencil, IconRestore } from "@tabler/icons-react";

import { Unknown } from "@/ui/figures";
import { baseName } from "@/ui/format";
import { Tag, type Tone } from "@/ui/page";
import { Ticked } from "@/ui/ticked";

import type { Setting } from "../api";
import { type Origin, type OriginKind, originOf } from "../model";
import { useChangeSetting, type Layer } from "../use-change";
import classes from "./settings.module.css";

const LOOKS: Record<OriginKind, { label: string; tone: Tone }> = {
  default: { label: "Default", tone: "quiet" },
  user: { label: "Your file", tone: "active" },
  repository: { label: "Repository file", tone: "good" },
  environment: { label: "Environment", tone: "attention" },
  other: { label: "Elsewhere", tone: "info" },
};

type Props = { setting: Setting; repository: string | undefined; onEdit: () => void };

export function SettingRow({ setting, repository, onEdit }: Props) {
  const origin = originOf(setting);
  const change = useChangeSetting();
  const layer = layerOf(origin, repository);
  const unset = () => layer && change.mutate({ key: setting.key, value: null, layer });
  return (
    <div className={classes.row} role="group" aria-label={setting.key}>
      <div className={classes.name}>
        <Text className="mono" fw={500}>
          {setting.key}
        </Text>
        <Text c="dimmed" size="xs">
          <Ticked text={setting.description} />
        </Text>
      </div>
      <div className={`${classes.value ?? ""} mono`} title={setting.value ?? undefined}>
        {setting.value == null ? <Unknown why="Not set" /> : setting.value === "" ? <span className="quiet">empty</span> : setting.value}
      </div>
      <div>
        <OriginTag origin={origin} />
      </div>
      <div className={classes.actions}>
        {layer && (
          <Tooltip label={`Take it out of ${layer.kind === "user" ? "your file" : "the repository's file"}`}>
            <ActionIcon aria-label={`Unset ${setting.key}`} onClick={unset} loading={change.isPending}>
              <IconRestore size={15} />
            </ActionIcon>
          </Tooltip>
        )}
        <ActionIcon aria-label={`Change ${setting.key}`} onClick={onEdit}>
          <IconPencil size={15} />
        </ActionIcon>
      </div>
    </div>
  );
}

/** Where a value comes from; the file or variable on demand. */
export function OriginTag({ origin }: { origin: Origin }) {
  const look = LOOKS[origin.kind];
  return (
    <Tag tone={look.tone} title={origin.place ?? "The value that comes with this version"}>
      {look.label}
      {origin.kind === "environment" && origin.place !== null && <span className="quiet"> {baseName(origin.place)}</span>}
    </Tag>
  );
}

function layerOf(origin: Origin, repository: string | undefined): Layer | null {
  if (origin.kind === "user") return { kind: "user" };
  return origin.kind === "repository" && repository !== undefined ? { kind: "repository", root: repository } : null;
}
