/** Twenty agents that speak at once: the page hears of it by events, and stays quick. */
import type { Page } from "@playwright/test";

import { SESSIONS, type Watched, inWords, speech, startAll, watch } from "../support/streaming";
import { expect, test } from "../support/test";

/** What the page does when it is opened is over by then. */
const SETTLED_MS = 3_000;

// A trace for failures would be made of the page's own time.
test.use({ wishes: { scenario: speech(300) }, trace: "off" });
test.setTimeout(300_000);

function expectCalm(seen: Watched): void {
  console.log(inWords(seen));
  expect(seen.streaming).toBe(SESSIONS);
  expect(seen.asked).toBeGreaterThan(0);
  expect(seen.tasks.length).toBeGreaterThan(0);
  expect(seen.lists).toBe(0);
  expect(seen.long).toEqual([]);
}

test("the list is read once, and no task is long, while twenty sessions stream", async ({ browser, page, world }) => {
  await startAll(world);
  await world.open(page);
  await expect(page.getByRole("row", { name: /stream-/ })).toHaveCount(SESSIONS);
  await page.waitForTimeout(SETTLED_MS);
  expectCalm(await watch(browser, page, world));
});

/** The number of the last line in sight. */
async function lastLine(page: Page): Promise<number> {
  const lines = await page.getByText(/^Line \d+ of what the agent says$/).allTextContents();
  return Math.max(0, ...lines.map((text) => Number(text.split(" ")[1])));
}

test("a transcript is followed without a long task while twenty sessions stream", async ({ browser, page, world }) => {
  const [session] = await startAll(world);
  await world.open(page, `/sessions/${session?.id ?? ""}`);
  await expect.poll(() => lastLine(page)).toBeGreaterThan(0);
  await page.waitForTimeout(SETTLED_MS);
  const before = await lastLine(page);
  expectCalm(await watch(browser, page, world));
  expect(await lastLine(page)).toBeGreaterThan(before);
});
