/** The desktop app on a screen, a session bus and a desktop of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { type Interface, createInterface } from "node:readline";

import { BINARIES, type World } from "./world";
import { WebDriver } from "./webdriver";

export const APP = path.join(BINARIES, "orchestra-desktop");
const TITLE = "Amp Orchestra";

/** What the desktop was told. */
export type Told =
  | { told: "ready" }
  | { told: "notification"; id: number; app: string; title: string; body: string; actions: string[] }
  | { told: "tray"; entries: string[] }
  | { told: "chosen"; entry: string }
  | { told: "failed"; why: string };

export type Notification = Extract<Told, { told: "notification" }>;

export class Desktop {
  readonly told: Told[] = [];
  readonly #world: World;
  readonly #children: ChildProcess[] = [];
  readonly #drivers: WebDriver[] = [];
  #display = "";
  #bus = "";
  #shown: ChildProcess | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  /** Starts screen, bus and what shows notifications. */
  async begin(): Promise<void> {
    const screen = this.#start("Xvfb", ["-displayfd", "1", "-screen", "0", "1920x1200x24", "-nolisten", "tcp"], {});
    this.#display = `:${await firstLine(screen)}`;
    const bus = this.#start("dbus-daemon", ["--session", "--nofork", "--nopidfile", "--print-address=1"], {});
    this.#bus = await firstLine(bus);
    this.#shown = this.#start(path.join(BINARIES, "fake-desktop"), [], {});
    const lines = createInterface({ input: this.#shown.stdout! });
    lines.on("line", (line) => this.told.push(JSON.parse(line) as Told));
    await this.until(() => this.told.some((it) => it.told === "ready"), "the desktop is ready");
  }

  /** Starts the app as a user does; it ends with the journey at the latest. */
  launch(words: readonly string[] = [], binary = APP): ChildProcess {
    return this.#start(binary, words, { stdio: ["ignore", "inherit", "inherit"] });
  }

  /** Starts the app so that its page can be driven. */
  async drive(words: readonly string[] = [], binary = APP): Promise<WebDriver> {
    const port = await freePort();
    this.#start("WebKitWebDriver", [`--port=${String(port)}`], { env: { TAURI_WEBVIEW_AUTOMATION: "true" } });
    const driver = new WebDriver(port);
    await this.until(() => answers(port), "WebKitWebDriver answers");
    this.#drivers.push(driver);
    await driver.begin(binary, words);
    return driver;
  }

  get notifications(): Notification[] {
    return this.told.filter((it) => it.told === "notification");
  }

  /** Clicks a notification. */
  click(notification: Notification): void {
    this.#shown?.stdin?.write(`click ${String(notification.id)}\n`);
  }

  /** What the tray's menu says now. */
  async tray(): Promise<string[]> {
    const answer = await this.#ask("tray", "tray");
    return answer.entries;
  }

  /** Waits until the tray's menu has an entry. A menu that is made anew while it is looked at is looked at again. */
  async untilTrayHas(entry: string): Promise<void> {
    const has = () => this.tray().then((entries) => entries.includes(entry), () => false);
    await this.until(has, `the tray has ${entry}`);
  }

  /** Clicks an entry of the tray's menu. */
  async choose(entry: string): Promise<void> {
    await this.#ask(`choose ${entry}`, "chosen");
  }

  async #ask<Kind extends "tray" | "chosen">(line: string, kind: Kind): Promise<Extract<Told, { told: Kind }>> {
    const from = this.told.length;
    this.#shown?.stdin?.write(`${line}\n`);
    const answer = () => this.told.slice(from).find((it) => it.told === kind || it.told === "failed");
    await this.until(() => answer() !== undefined, `an answer to ${line}`);
    const found = answer();
    if (found?.told === "failed") throw new Error(found.why);
    return found as Extract<Told, { told: Kind }>;
  }

  /** The titles of all windows that are shown. */
  windows(): string[] {
    const found = this.#xdotool("search", "--onlyvisible", "--name", TITLE).split("\n").filter(Boolean);
    return found.map((id) => this.#xdotool("getwindowname", id).trim());
  }

  /** Presses keys, such as `ctrl+w`, while the window has the focus. */
  press(keys: string): void {
    this.focus();
    this.#xdotool("key", keys);
  }

  /** Gives the window the focus, as a window manager does. */
  focus(): void {
    const [id] = this.#xdotool("search", "--onlyvisible", "--name", TITLE).split("\n");
    this.#xdotool("windowfocus", "--sync", id ?? "");
  }

  /** Whether no agent's runner is left, which could still have something to tell. */
  isQuiet(): boolean {
    return this.#runners().length === 0;
  }

  /** Ends runners and what is below them at once, as a crash of the machine would. */
  killRunners(): void {
    for (const pid of this.#runners().flatMap(family)) process.kill(pid, "SIGKILL");
  }

  /** The app's process. */
  get pid(): number {
    const [pid] = this.#processes((words) => path.basename(words[0] ?? "") === path.basename(APP));
    if (pid === undefined) throw new Error("the app does not run");
    return pid;
  }

  #runners(): number[] {
    return this.#processes((words) => words[1] === "__runner");
  }

  /** Processes of this world, by their words. */
  #processes(fits: (words: string[]) => boolean): number[] {
    const own = `ORCHESTRA_HOME=${path.join(this.#world.root, "data")}`;
    const pids = readdirSync("/proc").map(Number).filter((pid) => pid > 0);
    return pids.filter((pid) => fits(listed(pid, "cmdline")) && listed(pid, "environ").includes(own));
  }

  #xdotool(...words: string[]): string {
    try {
      return this.#world.run("xdotool", words, this.env());
    } catch (error) {
      // It fails when it finds nothing.
      if (words[0] === "search" || words[0] === "getwindowname") return "";
      throw error;
    }
  }

  /** Waits for a state, never for a time. */
  async until(isSo: () => boolean | Promise<boolean>, what: string, patienceMs = 30_000): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Error(`waited in vain until ${what}; told: ${JSON.stringify(this.told)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** What the app and the programs it starts get. */
  env(): NodeJS.ProcessEnv {
    return { ...this.#world.env(), DISPLAY: this.#display, DBUS_SESSION_BUS_ADDRESS: this.#bus, NO_AT_BRIDGE: "1", GDK_BACKEND: "x11" };
  }

  /** Keeps what the windows show, for whoever looks why a journey failed. */
  async keepPictures(folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    for (const [number, driver] of this.#drivers.entries()) {
      const picture = await driver.picture().catch(() => null);
      if (picture) writeFileSync(path.join(folder, `window-${String(number)}.png`), picture);
    }
  }

  /** Ends the app, however it was started. */
  async endApp(): Promise<void> {
    // One whose app was killed has nothing to end.
    for (const driver of this.#drivers) await driver.end().catch(() => undefined);
    for (const pid of this.#processes((it) => path.basename(it[0] ?? "") === path.basename(APP))) process.kill(pid, "SIGKILL");
  }

  async end(): Promise<void> {
    for (const child of this.#children.reverse()) await endProcess(child);
  }

  #start(program: string, words: readonly string[], options: { env?: NodeJS.ProcessEnv; stdio?: ["ignore", "inherit", "inherit"] }): ChildProcess {
    const env = { ...this.env(), ...options.env };
    const child = spawn(program, words, { cwd: this.#world.repository, env, stdio: options.stdio ?? ["pipe", "pipe", "inherit"] });
    this.#children.push(child);
    return child;
  }
}

/** A list of texts that the system keeps about a process; nothing if it ended meanwhile. */
function listed(pid: number, what: "cmdline" | "environ"): string[] {
  try {
    return readFileSync(`/proc/${String(pid)}/${what}`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** Ends a process and waits until it has. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  const isLate = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(isLate);
}

/** A process and all below it. */
export function family(pid: number): number[] {
  const below = readdirSync("/proc")
    .map(Number)
    .filter((it) => it > 0 && parentOf(it) === pid);
  return [pid, ...below.flatMap(family)];
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    // It ended meanwhile.
    return 0;
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  const lines: Interface = createInterface({ input: child.stdout! });
  const [line] = (await Promise.race([once(lines, "line"), once(child, "exit").then(() => Promise.reject(new Error(`${child.spawnfile} ended`)))])) as [string];
  return line.trim();
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${String(port)}/status`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

