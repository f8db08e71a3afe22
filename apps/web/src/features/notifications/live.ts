import type { QueryClient } from "@tanstack/react-query";

import type { LiveHandler } from "@/api/live/handlers";
import { live } from "@/api/live/hub";
import { pause } from "@/api/client";
import type { LogEventType } from "@/api/types";
import { platform } from "@/platform/current";
import { tellNews } from "@/ui/toasts";

import { type Notice, claim, noticeKeys, noticesAfter, withNotices, type NoticeBoard } from "./api";

/** Events that may deserve a notification; the server says which do. */
const LIKELY: ReadonlySet<LogEventType> = new Set(["iteration_finished", "permission_requested", "script_finished", "operation_finished"]);
/** Events that come close together are asked about together. */
const GATHER_MS = 150;
/** The window that is looked at goes first; the one that leads shows what nobody has shown by then. */
const PATIENCE_MS = 700;

type Open = (session: string) => void;

/** Keeps the list true, and shows each new notification once: in the window that is looked at, or else by the browser. */
export function notificationHandler(cache: QueryClient, open: Open): LiveHandler {
  let from: number | null = null;
  const gather = (seq: number) => {
    if (from !== null) return;
    from = seq;
    setTimeout(() => {
      const after = (from ?? seq) - 1;
      from = null;
      void bring(cache, after, open);
    }, GATHER_MS);
  };
  return (message) => {
    if (message.kind === "event" && LIKELY.has(message.event.body.type)) gather(message.event.seq);
  };
}

async function bring(cache: QueryClient, after: number, open: Open): Promise<void> {
  try {
    const found = await noticesAfter(after);
    cache.setQueryData<NoticeBoard>(noticeKeys.all, (board) => board && withNotices(board, found));
    if (!found.is_wanted) return;
    const fresh = found.notifications.filter((notice) => !notice.is_claimed);
    if (fresh.length > 0 && isLookedAt()) await show(fresh, (notice) => tell(notice, open));
    else if (fresh.length > 0 && live.isLeader) await showLater(fresh, open);
  } catch {
    // The bell asks again when it is opened.
    void cache.invalidateQueries({ queryKey: noticeKeys.all });
  }
}

async function showLater(notices: readonly Notice[], open: Open): Promise<void> {
  await pause(PATIENCE_MS);
  const isAllowed = platform().notifications.permission() === "granted";
  // Nobody would see it here, and another face may show it.
  if (!isAllowed && document.hidden) return;
  await show(notices, (notice) => (isAllowed ? showInBrowser(notice, open) : tell(notice, open)));
}

/** Shows those that nobody else claimed. */
async function show(notices: readonly Notice[], showOne: (notice: Notice) => void): Promise<void> {
  for (const notice of notices) if (await claim(notice.event)) showOne(notice);
}

function isLookedAt(): boolean {
  return !document.hidden && document.hasFocus();
}

function tell(notice: Notice, open: Open): void {
  tellNews(notice.title, notice.body, { label: "Open", run: () => open(notice.session_id) });
}

function showInBrowser(notice: Notice, open: Open): void {
  platform().notifications.show({ title: notice.title, body: notice.body, tag: `orchestra-${notice.event}`, onClick: () => open(notice.session_id) });
}
