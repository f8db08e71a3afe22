/** How quickly the desktop app shows something, and how much memory it has with fifty sessions. */
import { readFileSync, statSync } from "node:fs";

import { APP, family } from "../support/desktop";
import { test } from "../support/desktop-test";
import { desktopUi } from "../support/desktop-ui";
import type { WebDriver } from "../support/webdriver";
import { ORCHESTRA } from "../support/world";
import { Figures, megabytes, milliseconds } from "./figures";

const STARTS = 5;
const SESSIONS = 50;
/** The kernel counts time since the machine started in these. */
const TICKS_PER_SECOND = 100;

const figures = new Figures();

test.afterAll(({ browser }) => console.log(`\n${figures.text(browser.version())}`));

test("start to first paint, and memory with fifty sessions", async ({ desktop, world }) => {
  test.setTimeout(300_000);
  for (let number = 1; number <= SESSIONS; number += 1) world.orchestra("session", "new", "--name", `session-${String(number)}`, "--prompt", "Greet amp");
  const paints: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const driver = await desktop.drive();
    await desktopUi(driver).sees("session-50");
    paints.push(Math.round((await firstPaint(driver)) - startOf(desktop.pid)));
    await driver.end();
    await desktop.until(() => desktop.windows().length === 0, "the app has ended");
  }
  figures.addMedian("app: start to first contentful paint", paints, milliseconds);

  const app = desktop.launch();
  await desktop.until(() => desktop.windows().length > 0, "the window is there");
  await desktop.until(() => family(app.pid ?? 0).length >= 3, "the page is loaded");
  // Memory is told once the page has settled.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const processes = family(app.pid ?? 0).map((pid) => ({ name: nameOf(pid), bytes: pss(pid) }));
  figures.add("app: memory (PSS) with 50 sessions", megabytes(processes.reduce((sum, { bytes }) => sum + bytes, 0)));
  for (const { name, bytes } of processes) figures.add(`of it ${name}`, megabytes(bytes));
  figures.add("app: program", megabytes(statSync(APP).size));
  figures.add("program that runs agents", megabytes(statSync(ORCHESTRA).size));
});

/** When the page was first to be seen, on the clock of the wall. */
function firstPaint(driver: WebDriver): Promise<number> {
  return driver.run<number>("return performance.timeOrigin + performance.getEntriesByName('first-contentful-paint')[0].startTime");
}

/** When a process was started, on the clock of the wall. */
function startOf(pid: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
  const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
  const uptime = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  return Date.now() - uptime * 1000 + (ticks / TICKS_PER_SECOND) * 1000;
}

/** Memory with shared parts counted once. */
function pss(pid: number): number {
  return 1024 * Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/smaps_rollup`, "utf8"))?.[1]);
}

function nameOf(pid: number): string {
  return readFileSync(`/proc/${String(pid)}/comm`, "utf8").trim();
}
