/** What the page's main thread did, from a trace of the browser. */
import type { Browser, Page } from "@playwright/test";

/** A task of the main thread, in milliseconds. */
export type Task = {
  /** From its begin to its end: on a busy machine also the time in which other programs ran. */
  took: number;
  /** The processor's time that it used; all of it where the system does not count that. */
  used: number;
};

type TraceEvent = { name: string; ph: string; pid: number; tid: number; dur?: number; tdur?: number; args?: { name?: string } };

/** The tasks of every page's main thread while something happens. */
export async function tasksDuring(browser: Browser, page: Page, act: () => Promise<void>): Promise<Task[]> {
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const thread = ({ pid, tid }: TraceEvent) => `${String(pid)}:${String(tid)}`;
  const isNamed = (event: TraceEvent) => event.name === "thread_name" && event.args?.name === "CrRendererMain";
  const mains = new Set(traceEvents.filter(isNamed).map(thread));
  const tasks = traceEvents.filter((event) => event.ph === "X" && event.name.endsWith("RunTask") && mains.has(thread(event)));
  return tasks.map(({ dur = 0, tdur = dur }) => ({ took: dur / 1_000, used: tdur / 1_000 }));
}
