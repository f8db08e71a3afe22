import { ActionIcon, Menu } from "@mantine/core";
import { IconCopy, IconDots, IconPencil, IconTrash } from "@tabler/icons-react";

import type { Template } from "../api";
import { isOwn } from "../model";

type Props = { template: Template; onDo: (act: "edit" | "text" | "delete") => void };

/** What else can be done with a template. */
export function RowMenu({ template, onDo }: Props) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`More for ${template.name}`}>
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={14} />} disabled={!isOwn(template)} onClick={() => onDo("edit")}>
          Edit
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => onDo("text")}>
          Show its file
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={14} />} disabled={!isOwn(template)} onClick={() => onDo("delete")}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
