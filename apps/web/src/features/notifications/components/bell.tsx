import { ActionIcon, Indicator, Popover, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconBell } from "@tabler/icons-react";
import { useState } from "react";

import { platform } from "@/platform/current";

import { noticesQuery } from "../api";
import { NoticeList } from "./notice-list";

const SEEN = "orchestra.notifications-seen";

/** What happened lately, and a dot if some of it is new. */
export function Bell() {
  const [isOpen, setIsOpen] = useState(false);
  const [seen, setSeen] = useState(() => Number(platform().storage.get(SEEN) ?? 0));
  const query = useQuery(noticesQuery());
  const newest = query.data?.notices[0]?.event ?? 0;
  const unseen = query.data?.notices.filter((notice) => notice.event > seen).length ?? 0;
  const open = (willOpen: boolean) => {
    setIsOpen(willOpen);
    if (willOpen) return;
    setSeen(newest);
    platform().storage.set(SEEN, String(newest));
  };
  const label = unseen === 0 ? "Notifications" : `Notifications: ${unseen} new`;
  return (
    <Popover opened={isOpen} onChange={open} position="bottom-end" width={380} trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={label}>
          <Indicator disabled={unseen === 0} size={7} offset={5} color="red">
            <ActionIcon aria-label={label} onClick={() => open(!isOpen)}>
              <IconBell size={17} stroke={1.75} />
            </ActionIcon>
          </Indicator>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={0}>
        <NoticeList query={query} seen={seen} onChoose={() => open(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
