import { Checkbox, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconMinus, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";

import type { Wire } from "@/api/types";
import { Ticked } from "@/ui/ticked";

import classes from "./dialogs.module.css";

const NAMES: Record<Wire["CheckName"], string> = {
  clean: "Clean",
  base: "Base",
  script: "Script",
  evaluators: "Evaluators",
  reviewed: "Reviewed",
  messages: "Messages",
  migrations: "Migrations",
  issue: "Issue",
};

type Props = {
  rows: readonly Wire["CheckRow"][];
  overridden: ReadonlySet<Wire["CheckName"]>;
  onOverride: (name: Wire["CheckName"], isOn: boolean) => void;
  /** What can be done about a row at once. */
  action: (row: Wire["CheckRow"]) => ReactNode;
};

/** What is looked at before work lands. A check that fails can be overridden by name, which is recorded. */
export function CheckList({ rows, overridden, onOverride, action }: Props) {
  return (
    <ul className={classes.checks} aria-label="Checks">
      {rows.map((row) => (
        <li key={row.name} data-tone={tone(row)}>
          <Mark row={row} />
          <strong>{NAMES[row.name]}</strong>
          <div>
            <Text>
              <Ticked text={row.text} />
            </Text>
            {row.state === "fail" && row.hint != null && (
              <Text c="dimmed">
                <Ticked text={row.hint} />
              </Text>
            )}
            {row.state === "fail" && row.required && (
              <Checkbox mt={3} label="Override this check (recorded)" checked={overridden.has(row.name)} onChange={(event) => onOverride(row.name, event.currentTarget.checked)} />
            )}
          </div>
          {action(row)}
        </li>
      ))}
    </ul>
  );
}

function tone(row: Wire["CheckRow"]): string {
  if (row.state === "pass") return "good";
  if (row.state === "not_applicable") return "quiet";
  return row.required ? "danger" : "attention";
}

function Mark({ row }: { row: Wire["CheckRow"] }) {
  if (row.state === "pass") return <IconCheck size={15} aria-label="passes" />;
  if (row.state === "not_applicable") return <IconMinus size={15} aria-label="does not apply" />;
  return row.required ? <IconX size={15} aria-label="fails" /> : <IconAlertTriangle size={15} aria-label="fails, and is not required" />;
}
