/** Twenty agents that speak at once: the page hears of it by events, and stays quick. */
import type { Browser, Page } from "@playwright/test";

import { tasksDuring } from "../support/main-thread";
import { expect, test } from "../support/test";
import type { World } from "../support/world";

const SESSIONS = 20;
const LINES_PER_SECOND = 10;
/** Long enough for all to begin and for the page to be watched. */
const SCENARIO = Array.from({ length: 120 * LINES_PER_SECOND }, (_, line) => `[[step]]\ndo = "message"\ntext = "Line ${String(line + 1)} of what the agent says"\n`).join("\n");
const WATCHED_MS = 10_000;
const LONG_MS = 50;

test.use({ wishes: { scenario: SCENARIO, paceMs: 1_000 / LINES_PER_SECOND }, trace: "off" });

type Row = { id: string; status: string };

function sessions(world: World): Row[] {
  return (JSON.parse(world.orchestra("session", "list", "--json")) as { sessions: Row[] }).sessions;
}

/** All agents speak. */
async function allStream(world: World): Promise<Row[]> {
  world.orchestra("config", "set", "core.max_concurrent_sessions", String(SESSIONS));
  for (let number = 1; number <= SESSIONS; number += 1) {
    world.orchestra("session", "new", "--name", `stream-${String(number)}`, "--prompt", "Speak", "--run", "--detach");
  }
  await expect.poll(() => sessions(world).filter(({ status }) => status === "running").length, { timeout: 60_000 }).toBe(SESSIONS);
  return sessions(world);
}

async function watch(browser: Browser, page: Page, world: World): Promise<void> {
  let lists = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/v1/sessions") lists += 1;
  });
  const tasks = await tasksDuring(browser, page, () => page.waitForTimeout(WATCHED_MS));
  const streaming = sessions(world).filter(({ status }) => status === "running").length;
  const long = tasks.filter(({ used }) => used > LONG_MS);
  const longest = Math.max(...tasks.map(({ used }) => used));
  console.log(`streaming ${String(streaming)}, list requests ${String(lists)}, tasks over ${String(LONG_MS)} ms ${String(long.length)} (of ${String(tasks.length)}; the longest ${longest.toFixed(1)} ms)`);
  expect(streaming).toBe(SESSIONS);
  expect(tasks.length).toBeGreaterThan(0);
  expect(lists).toBe(0);
  expect(long).toEqual([]);
}

test("the list is read once and no task is long while twenty sessions stream", async ({ browser, page, world }) => {
  test.setTimeout(180_000);
  await allStream(world);
  await world.open(page);
  await expect(page.getByRole("row", { name: /stream-/ })).toHaveCount(SESSIONS);
  await page.waitForTimeout(3_000);
  await watch(browser, page, world);
});

test("a transcript is followed without a long task while twenty sessions stream", async ({ browser, page, world }) => {
  test.setTimeout(180_000);
  const [session] = await allStream(world);
  await world.open(page, `/sessions/${session?.id ?? ""}`);
  await expect(page.getByText(/^Line \d+ of what/).first()).toBeVisible();
  await page.waitForTimeout(3_000);
  await watch(browser, page, world);
});
