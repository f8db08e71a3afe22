/** Short messages at the edge of the page, with a way back where there is one. */
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle, IconBell, IconCheck } from "@tabler/icons-react";

import type { Failure } from "./states";

type Undo = { label?: string; run: () => void };

/** Something was done. */
export function tellDone(message: string, undo?: Undo): void {
  const id = notifications.show({
    icon: <IconCheck size={16} />,
    color: "green",
    autoClose: undo ? 12_000 : 4_000,
    message: <WithButton text={message} button={undo} onPress={() => notifications.hide(id)} />,
  });
}

/** Something happened that the user may want to look at. */
export function tellNews(title: string, message: string, open: Undo): void {
  const id = notifications.show({
    icon: <IconBell size={16} />,
    color: "iris",
    title,
    autoClose: 10_000,
    message: <WithButton text={message} button={open} onPress={() => notifications.hide(id)} />,
  });
}

function WithButton({ text, button, onPress }: { text: string; button: Undo | undefined; onPress: () => void }) {
  const press = () => {
    onPress();
    button?.run();
  };
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text lineClamp={3}>{text}</Text>
      {button && (
        <Button variant="subtle" size="compact-xs" onClick={press}>
          {button.label ?? "Undo"}
        </Button>
      )}
    </Group>
  );
}

/** Something failed. It stays until it was read. */
export function tellFailed(title: string, failure: Failure): void {
  notifications.show({
    icon: <IconAlertTriangle size={16} />,
    color: "red",
    title,
    autoClose: false,
    message: failure.hint == null ? failure.message : `${failure.message}. ${failure.hint}`,
  });
}
