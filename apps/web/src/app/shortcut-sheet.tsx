import { Modal, Table, Title } from "@mantine/core";

import { pageFirst } from "@/ui/commands/groups";
import { type Command, useAllCommands } from "@/ui/commands/registry";
import { groupBy } from "@/ui/group-by";
import { Keys } from "@/ui/kbd";

import classes from "./shortcut-sheet.module.css";

/** Every shortcut there is on this page. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const commands = new Map<string, Command>();
  for (const command of useAllCommands()) if (command.keys !== undefined) commands.set(command.keys, command);
  const groups = groupBy([...commands.values()].sort(pageFirst), (command) => command.group);
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="xl">
      <div className={classes.columns}>
        {[...groups].map(([group, inside]) => (
          <section key={group} className={classes.group}>
            <Title order={4}>{group}</Title>
            <Table highlightOnHover={false} withRowBorders={false} verticalSpacing={2}>
              <Table.Tbody>
                {inside.map((command) => (
                  <Table.Tr key={command.id}>
                    <Table.Td px={0}>{command.title}</Table.Td>
                    <Table.Td px={0} ta="right">
                      <Keys keys={command.keys ?? ""} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </section>
        ))}
      </div>
    </Modal>
  );
}
