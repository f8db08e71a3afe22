/** How quick and how large the page is; the table is for docs/performance.md. */
import type { Browser, Page } from "@playwright/test";

import { session } from "../support/sessions";
import { SESSIONS, longest, speech, start, startAll, watch } from "../support/streaming";
import { expect, test } from "../support/test";
import type { World } from "../support/world";
import { allAssets, weigh } from "./assets";
import { Figures, kilobytes, megabytes, milliseconds } from "./figures";

const ROUNDS = 5;
const MANY = 1_000;
const SETTLED_MS = 3_000;

const figures = new Figures();

test.afterAll(({ browser }) => console.log(`\n${figures.text(browser.version())}`));

type Opened = { painted: number; shown: number; files: string[] };

/** Opens the home page in a browser that has never seen it, and says when what came. */
async function openNew(browser: Browser, world: World, text: string): Promise<Opened> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript((wanted) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector("main")?.textContent.includes(wanted) !== true) return;
      performance.mark("shown");
      observer.disconnect();
    });
    observer.observe(document, { childList: true, subtree: true, characterData: true });
  }, text);
  await world.open(page);
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0 && performance.getEntriesByName("shown").length > 0);
  await page.waitForTimeout(SETTLED_MS);
  const opened = await page.evaluate((): Opened => {
    const at = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN;
    const files = performance.getEntriesByType("resource").map((entry) => entry.name);
    return { painted: at("first-contentful-paint"), shown: at("shown"), files: files.filter((name) => /\.(js|css)$/.test(name)) };
  });
  await context.close();
  return opened;
}

/** After one round for practice. */
async function openOften(browser: Browser, world: World, text: string): Promise<Opened[]> {
  const rounds: Opened[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) rounds.push(await openNew(browser, world, text));
  return rounds.slice(1);
}

test("opening the page", async ({ browser, world }) => {
  const empty = await openOften(browser, world, "No sessions yet");
  for (let number = 1; number <= MANY; number += 1) world.orchestra("session", "new", "--name", `session-${String(number)}`, "--prompt", "Wait");
  const full = await openOften(browser, world, "session-");
  const times = (what: string, opened: Opened[]) => {
    figures.addMedian(`first contentful paint, ${what}`, opened.map((it) => it.painted), milliseconds);
    figures.addMedian(`home page is there, ${what}`, opened.map((it) => it.shown), milliseconds);
  };
  times("no session", empty);
  times(`${String(MANY)} sessions`, full);

  const first = await weigh(new Set(full.flatMap((it) => it.files)));
  const all = await weigh(await allAssets(world.origin));
  figures.add("JS for the home page, gzip", kilobytes(first.scripts));
  figures.add("CSS for the home page, gzip", kilobytes(first.styles));
  figures.add("JS for all pages, gzip", kilobytes(all.scripts));
  figures.add("CSS for all pages, gzip", kilobytes(all.styles));
});

test.describe("twenty sessions", () => {
  test.use({ wishes: { scenario: speech(600) } });

  test("stream", async ({ browser, page, world }) => {
    const [first] = await startAll(world);
    const look = async (name: string, where: string) => {
      await world.open(page, where);
      await page.waitForTimeout(SETTLED_MS);
      const seen = await watch(browser, page, world);
      const what = `${name}, ${String(seen.streaming)} stream`;
      const { used, took } = longest(seen.tasks);
      figures.add(`most processor time of a task of the ${what}`, milliseconds(used));
      figures.add(`longest task, with what others took, of the ${what}`, milliseconds(took));
      figures.add(`list requests in 10 s of the ${what}`, String(seen.lists));
    };
    await look("home page", "/");
    await look("session page", `/sessions/${first?.id ?? ""}`);
  });
});

/** An agent's hour at ten items a second. */
const HOUR_ITEMS = 36_000;
/** A message, a tool call, its result, and the tokens used. */
const ITEMS_PER_TURN = 4;
/** With this pause between steps the hour takes about three minutes. */
const HOUR_PACE_MS = 10;
const LAST_WORDS = "That was an hour";
/** How long the page keeps what is out of sight, and a little more. */
const FORGOTTEN_MS = 150_000;

function hour(): string {
  const found = Array.from({ length: 8 }, (_, line) => `src/part/file-${String(line)}.ts:${String(line * 7)}: export function part(value: string)`).join("\\n");
  const turn = (number: number) => `[[step]]
do = "message"
text = "Step ${String(number)}: I look at the callers of this function before I change it, so that none of them is surprised by what it answers afterwards."
[[step]]
do = "tool_call"
name = "Grep"
input = { pattern = "part", path = "src/step-${String(number)}" }
result = "${found}"
`;
  const turns = Array.from({ length: HOUR_ITEMS / ITEMS_PER_TURN }, (_, index) => turn(index + 1));
  return `pace_ms = ${String(HOUR_PACE_MS)}\n${turns.join("")}[[step]]\ndo = "message"\ntext = "${LAST_WORDS}"\n`;
}

/** What is used once everything that nobody needs is gone. */
async function heap(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize;
}

test.describe("an hour of streaming", () => {
  test.use({ wishes: { scenario: speech(900) } });

  test("in a few minutes", async ({ browser, page, world }) => {
    await startAll(world, SESSIONS - 1);
    // Another browser, so that it has a stream of its own.
    const context = await browser.newContext();
    const home = await context.newPage();
    await world.open(home);
    await expect(home.getByRole("row", { name: /stream-/ })).toHaveCount(SESSIONS - 1);
    await home.waitForTimeout(SETTLED_MS);

    world.setScenario(hour());
    start(world, "hour");
    const { id } = session(world, "hour");
    await world.open(page, `/sessions/${id}`);
    await expect(page.getByText(/^Step \d+:/).first()).toBeVisible();
    const transcript = () => world.ask<{ seq: number; end: number }>(`/api/v1/sessions/${id}/transcript?after=0&limit=1`);
    const measure = async (when: string) => {
      figures.add(`JS heap of the session page, ${when}`, megabytes(await heap(page)));
      figures.add(`JS heap of the home page, ${when}`, megabytes(await heap(home)));
    };
    const before = await transcript();
    await measure("at the start");
    await expect(page.getByText(LAST_WORDS).first()).toBeVisible({ timeout: 900_000 });
    const after = await transcript();
    await measure("after the hour");
    await page.waitForTimeout(FORGOTTEN_MS);
    await measure("some minutes later");
    figures.add("of this hour: transcript items", String(after.end - before.end));
    figures.add("of this hour: events of all sessions", String(after.seq - before.seq));
    expect(after.end).toBeGreaterThanOrEqual(HOUR_ITEMS);
    await context.close();
  });
});
