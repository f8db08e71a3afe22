import { Button } from "@mantine/core";

import { Copyable, Tag } from "@/ui/page";
import { Rows } from "@/ui/rows";

import type { ProjectCommand } from "../api";
import { permissionLook } from "../model";

type Props = { commands: readonly ProjectCommand[]; isBusy: boolean; onChange: (act: "allow" | "forget", setting: string) => void };

export function CommandTable({ commands, isBusy, onChange }: Props) {
  return (
    <Rows
      label="Commands"
      rows={commands}
      rowKey={(command) => command.setting}
      columns={[
        { key: "setting", title: "Setting", render: (command) => <span className="mono">{command.setting}</span> },
        { key: "command", title: "Command", render: (command) => <Copyable value={command.command} what="command" /> },
        { key: "permission", title: "May it run", render: (command) => <Tag tone={permissionLook(command.permission).tone} title={permissionLook(command.permission).meaning}>{permissionLook(command.permission).label}</Tag> },
        {
          key: "act",
          title: "",
          align: "right",
          render: (command) => {
            if (command.permission === "own") return null;
            const act = command.permission === "not_allowed" ? "allow" : "forget";
            return (
              <Button size="compact-xs" variant="default" disabled={isBusy} aria-label={`${act === "allow" ? "Allow" : "Take back"} ${command.setting}`} onClick={() => onChange(act, command.setting)}>
                {act === "allow" ? "Allow" : "Take back"}
              </Button>
            );
          },
        },
      ]}
    />
  );
}
