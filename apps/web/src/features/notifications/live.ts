import type { LiveHandler } from "@/api/live/handlers";
import { live } from "@/api/live/hub";
import type { LogEventType } from "@/api/types";
import { platform } from "@/platform/current";

import { type Notice, claim, noticeKeys, noticesAfter } from "./api";

/** Events that may deserve a notification; the server says which do. */
const LIKELY: ReadonlySet<LogEventType> = new Set(["iteration_finished", "permission_requested", "script_finished", "operation_finished"]);

/** Keeps the list true, and shows each new one once per browser. */
export const notificationHandler: LiveHandler = (message, cache) => {
  if (message.kind !== "event" || !LIKELY.has(message.event.body.type)) return;
  void cache.invalidateQueries({ queryKey: noticeKeys.all });
  if (live.isLeader && platform().notifications.permission() === "granted") void showAfter(message.event.seq - 1);
};

async function showAfter(seq: number): Promise<void> {
  try {
    const found = await noticesAfter(seq);
    const notice = found.notifications.find((it) => it.event === seq + 1);
    if (found.is_wanted && notice && !notice.is_claimed && (await claim(notice.event))) show(notice);
  } catch {
    // The list in the page has it all the same.
  }
}

function show(notice: Notice): void {
  platform().notifications.show({
    title: notice.title,
    body: notice.body,
    tag: `orchestra-${notice.event}`,
    onClick: () => window.history.pushState(null, "", `/sessions/${notice.session_id}`),
  });
}
