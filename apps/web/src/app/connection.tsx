import { Tooltip } from "@mantine/core";
import { IconCircleCheck, IconCloudOff, IconRefresh } from "@tabler/icons-react";

import type { LivePhase } from "@/api/live/message";
import { useLivePhase } from "@/api/live/use-live";

import classes from "./shell.module.css";

const LOOKS: Record<LivePhase, { label: string; tone: string; meaning: string; icon: typeof IconRefresh }> = {
  live: { label: "Live", tone: "good", meaning: "Events arrive as they happen.", icon: IconCircleCheck },
  connecting: { label: "Connecting", tone: "quiet", meaning: "The event stream is being opened.", icon: IconRefresh },
  reconnecting: { label: "Reconnecting", tone: "attention", meaning: "The event stream broke off and is opened again; nothing is missed.", icon: IconRefresh },
  offline: { label: "Offline", tone: "danger", meaning: "The server does not answer. Agents go on without it.", icon: IconCloudOff },
};

/** Whether what is shown is up to date. */
export function ConnectionState() {
  const look = LOOKS[useLivePhase()];
  return (
    <Tooltip label={look.meaning}>
      <span className={classes.phase} data-tone={look.tone} role="status">
        <look.icon size={14} aria-hidden />
        {look.label}
      </span>
    </Tooltip>
  );
}

/** What is shown is old, and says so. */
export function ConnectionNotice() {
  if (useLivePhase() !== "offline") return null;
  return (
    <div className={classes.notice} data-tone="danger" role="alert">
      <IconCloudOff size={16} aria-hidden />
      <span>
        The server does not answer: what you see may be out of date. Agents go on without it. Start it again with{" "}
        <code>orchestra serve</code>; this page comes back by itself.
      </span>
    </div>
  );
}
