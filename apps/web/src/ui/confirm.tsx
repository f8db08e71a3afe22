import { Button, Checkbox, Group, List, Modal, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconArchive, IconArrowBackUp } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

import { DialogButtons } from "./dialog-buttons";

export type ConfirmOption = { key: string; label: string; detail?: string };

type Props = {
  title: string;
  /** What will be done, one line each. */
  does: readonly ReactNode[];
  /** What stays. */
  keeps: readonly ReactNode[];
  /** How it is taken back afterwards; none if it cannot be. */
  undo: string | null;
  action: string;
  /** Consents of their own. */
  options?: readonly ConfirmOption[];
  /** Why it cannot be done now. */
  obstacle?: ReactNode;
  isBusy?: boolean;
  /** Whether something is missing that has to be filled in. */
  isIncomplete?: boolean;
  /** Whether it takes nothing away. */
  isHarmless?: boolean;
  /** Whether there is much to look at. */
  isWide?: boolean;
  /** What there is to fill in or to look at. */
  children?: ReactNode;
  onConfirm: (chosen: ReadonlySet<string>) => void;
  onClose: () => void;
};

/** Asks before something that takes away, and says what it keeps. */
export function Confirm(props: Props) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string, isOn: boolean) => setChosen(isOn ? new Set([...chosen, key]) : new Set([...chosen].filter((it) => it !== key)));
  const isBusy = props.isBusy ?? false;
  return (
    <Modal opened onClose={props.onClose} title={props.title} size={props.isWide ? "lg" : "md"}>
      <Stack gap="sm">
        <Consequences icon={<IconAlertTriangle size={14} />} title="This" lines={props.does} />
        <Consequences icon={<IconArchive size={14} />} title="Kept" lines={props.keeps} />
        <Consequences
          icon={<IconArrowBackUp size={14} />}
          title="Afterwards"
          lines={[props.undo ?? "This cannot be undone."]}
        />
        {props.children}
        {props.options?.map((option) => (
          <Checkbox
            key={option.key}
            label={option.label}
            description={option.detail}
            checked={chosen.has(option.key)}
            onChange={(event) => toggle(option.key, event.currentTarget.checked)}
          />
        ))}
        {props.obstacle !== undefined && <div role="alert">{props.obstacle}</div>}
        <DialogButtons>
          <Button variant="default" onClick={props.onClose} data-autofocus>
            Cancel
          </Button>
          <Button color={props.isHarmless ? undefined : "red"} loading={isBusy} disabled={props.isIncomplete} onClick={() => props.onConfirm(chosen)}>
            {props.action}
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

function Consequences({ icon, title, lines }: { icon: ReactNode; title: string; lines: readonly ReactNode[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <Group gap={6} c="dimmed">
        {icon}
        <Text fw={600}>{title}</Text>
      </Group>
      <List mt={2} ml={4}>
        {lines.map((line, index) => (
          <List.Item key={index}>{line}</List.Item>
        ))}
      </List>
    </div>
  );
}
