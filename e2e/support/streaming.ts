/** Many agents that speak at once, and what that costs the page. */
import { type Browser, type Page, expect } from "@playwright/test";

import { type Task, tasksDuring } from "./main-thread";
import type { Row } from "./sessions";
import type { World } from "./world";

export const SESSIONS = 20;
const LINES_PER_SECOND = 10;
const WATCHED_MS = 10_000;
const LONG_MS = 50;
/** A page without a long task for this time is no longer busy with being opened; on a busy machine it may never come. */
const QUIET_MS = 1_500;
const QUIET_AT_LAST_MS = 30_000;

/** An agent that says a line again and again, for so long. */
export function speech(seconds: number): string {
  const step = (line: number) => `[[step]]\ndo = "message"\ntext = "Line ${String(line)} of what the agent says"\n`;
  const lines = Array.from({ length: seconds * LINES_PER_SECOND }, (_, index) => step(index + 1));
  return `pace_ms = ${String(1_000 / LINES_PER_SECOND)}\n${lines.join("")}`;
}

function running(world: World): Row[] {
  const { sessions } = JSON.parse(world.orchestra("session", "list", "--json")) as { sessions: Row[] };
  return sessions.filter(({ status }) => status === "running");
}

/** Starts a session whose agent does what the scenario says. */
export function start(world: World, name: string): void {
  world.orchestra("session", "new", "--name", name, "--prompt", "Speak", "--run", "--detach");
}

/** Starts so many sessions at once, and answers them. */
export async function startAll(world: World, count = SESSIONS): Promise<Row[]> {
  world.orchestra("config", "set", "core.max_concurrent_sessions", String(SESSIONS));
  for (let number = 1; number <= count; number += 1) start(world, `stream-${String(number)}`);
  await expect.poll(() => running(world).length, { timeout: 60_000 }).toBe(count);
  return running(world);
}

/** Waits until what a page does when it is opened is over. */
export function settled(page: Page): Promise<void> {
  return page.evaluate(
    ([quiet, atLast]) =>
      new Promise<void>((resolve) => {
        const end = () => {
          tasks.disconnect();
          resolve();
        };
        let timer = setTimeout(end, quiet);
        const tasks = new PerformanceObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(end, quiet);
        });
        tasks.observe({ type: "longtask" });
        setTimeout(end, atLast);
      }),
    [QUIET_MS, QUIET_AT_LAST_MS] as const,
  );
}

export type Watched = {
  /** Sessions that streamed to the end. */
  streaming: number;
  /** Requests for the list of sessions. */
  lists: number;
  /** Requests about one session. */
  asked: number;
  tasks: Task[];
  /** Tasks that used the processor for too long. */
  long: Task[];
};

/** Looks at a page for a while, in which it does what the stream makes it do. */
export async function watch(browser: Browser, page: Page, world: World): Promise<Watched> {
  let [lists, asked] = [0, 0];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname === "/api/v1/sessions") lists += 1;
    else if (pathname.startsWith("/api/v1/sessions/")) asked += 1;
  });
  const tasks = await tasksDuring(browser, page, () => page.waitForTimeout(WATCHED_MS));
  const long = tasks.filter(({ used }) => used > LONG_MS);
  return { streaming: running(world).length, lists, asked, tasks, long };
}

/** The most that one task used, and that one took. */
export function longest(tasks: Task[]): Task {
  return { used: Math.max(...tasks.map(({ used }) => used)), took: Math.max(...tasks.map(({ took }) => took)) };
}

export function inWords({ streaming, lists, tasks, long }: Watched): string {
  const { used, took } = longest(tasks);
  const most = `at most ${used.toFixed(1)} ms of the processor, ${took.toFixed(1)} ms from begin to end`;
  return `streaming ${String(streaming)}, list requests ${String(lists)}, tasks over ${String(LONG_MS)} ms of processor time ${String(long.length)} (${most})`;
}
