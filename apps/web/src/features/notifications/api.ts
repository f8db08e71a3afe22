import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type Notice = Wire["Notification"];

/** How far back the list goes, in events of the log. */
const BACK = 4_000;
const PAGE = 200;
const SHOWN = 100;

export const noticeKeys = { all: ["notifications"] as const };

/** The newest notifications, newest first. */
export const noticesQuery = () =>
  queryOptions({
    queryKey: noticeKeys.all,
    queryFn: ({ signal }) => newest(signal),
    staleTime: Infinity,
  });

/** What the bell holds. */
export type NoticeBoard = { seq: number; isWanted: boolean; notices: Notice[] };

/** The board with what came after it, each once. */
export function withNotices(board: NoticeBoard, found: Wire["NotificationList"]): NoticeBoard {
  const events = new Set(found.notifications.map((notice) => notice.event));
  const notices = [...found.notifications, ...board.notices.filter((notice) => !events.has(notice.event))];
  return { seq: Math.max(board.seq, found.seq), isWanted: found.is_wanted, notices: notices.sort((one, other) => other.event - one.event).slice(0, SHOWN) };
}

async function newest(signal: AbortSignal): Promise<NoticeBoard> {
  const log = await answered(api.GET("/api/v1/log", { params: { query: { after: Number.MAX_SAFE_INTEGER, limit: 1 } }, signal }));
  const notices: Notice[] = [];
  let after = Math.max(0, log.seq - BACK);
  for (;;) {
    const page = await noticesAfter(after, signal);
    notices.push(...page.notifications);
    if (page.next >= page.seq || page.next <= after) {
      return { seq: page.seq, isWanted: page.is_wanted, notices: notices.reverse().slice(0, SHOWN) };
    }
    after = page.next;
  }
}

export function noticesAfter(after: number, signal?: AbortSignal) {
  return answered(api.GET("/api/v1/notifications", { params: { query: { after, limit: PAGE } }, signal }));
}

/** Whether this page is the one to show it. */
export async function claim(event: number): Promise<boolean> {
  const answer = await answered(api.POST("/api/v1/notifications/{event}/claim", { params: { path: { event } } }));
  return answer.claimed;
}
