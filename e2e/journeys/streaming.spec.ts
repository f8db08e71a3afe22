/** Twenty agents that speak at once: the page hears of it by events, and stays quick. */
import type { Page } from "@playwright/test";

import { SESSIONS, type Watched, inWords, settled, speech, startAll, watch } from "../support/streaming";
import { expect, test } from "../support/test";

/** What the stream makes the page do is seen every time; a long task that the browser had for itself is not. */
const WATCHES = 3;

// A trace for failures would be made of the page's own time.
test.use({ wishes: { scenario: speech(300) }, trace: "off" });
test.setTimeout(300_000);

async function expectCalm(look: () => Promise<Watched>): Promise<void> {
  for (let watches = 1; ; watches += 1) {
    const seen = await look();
    console.log(inWords(seen));
    expect(seen.streaming).toBe(SESSIONS);
    expect(seen.asked).toBeGreaterThan(0);
    expect(seen.tasks.length).toBeGreaterThan(0);
    expect(seen.lists).toBe(0);
    if (seen.long.length === 0) return;
    if (watches === WATCHES) expect(seen.long).toEqual([]);
  }
}

test("the list is read once, and no task is long, while twenty sessions stream", async ({ browser, page, world }) => {
  await startAll(world);
  await world.open(page);
  await expect(page.getByRole("row", { name: /stream-/ })).toHaveCount(SESSIONS);
  await settled(page);
  await expectCalm(() => watch(browser, page, world));
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
  await settled(page);
  const before = await lastLine(page);
  await expectCalm(() => watch(browser, page, world));
  expect(await lastLine(page)).toBeGreaterThan(before);
});
