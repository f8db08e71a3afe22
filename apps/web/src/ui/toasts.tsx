/** Short messages at the edge of the page, with a way back where there is one. */
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";

import type { Failure } from "./states";

type Undo = { label?: string; run: () => void };

/** Something was done. */
export function tellDone(message: string, undo?: Undo): void {
  const id = notifications.show({
    icon: <IconCheck size={16} />,
    color: "green",
    autoClose: undo ? 12_000 : 4_000,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text>{message}</Text>
        {undo && (
          <Button
            variant="subtle"
            size="compact-xs"
            onClick={() => {
              notifications.hide(id);
              undo.run();
            }}
          >
            {undo.label ?? "Undo"}
          </Button>
        )}
      </Group>
    ),
  });
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
