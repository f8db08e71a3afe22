/** What people expect of an app: tray, title, one instance, links, background, and no door to the outside. */
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

import { once } from "node:events";

import { endProcess, family } from "../support/desktop";
import { expect, test } from "../support/desktop-test";
import { desktopUi } from "../support/desktop-ui";
import { session } from "../support/sessions";

const SLEEPING = '[[step]]\ndo = "message"\ntext = "Working on it"\n[[step]]\ndo = "sleep"\nmilliseconds = 60000\n';

test.use({ wishes: { scenario: SLEEPING } });

test("no process of the app listens anywhere", async ({ desktop, world }) => {
  world.orchestra("session", "new", "--name", "one", "--prompt", "Greet amp");
  const app = desktop.launch();
  await desktop.until(() => desktop.windows().includes("Amp Orchestra"), "the window is there");
  await desktop.until(() => family(app.pid ?? 0).length >= 3, "the page is loaded");
  world.orchestra("session", "iterate", "one", "--detach");
  await desktop.untilTrayHas("1 running");
  const listening = listeners();
  for (const pid of family(app.pid ?? 0)) {
    const sockets = socketsOf(pid).filter((inode) => listening.has(inode));
    expect(sockets, `${String(pid)} listens`).toEqual([]);
  }
});

test("the tray counts, leads to sessions and stays when the window is closed", async ({ desktop, world }) => {
  const driver = await desktop.drive();
  const ui = desktopUi(driver);
  await ui.sees("Live");
  await desktop.untilTrayHas("Nothing is running");
  expect(await desktop.tray()).toEqual(["Nothing is running", "Show window", "New session", "Start at login", "Quit (agents go on)"]);
  world.orchestra("session", "new", "--name", "one", "--prompt", "Greet amp");
  world.orchestra("session", "iterate", "one", "--detach");
  await desktop.untilTrayHas("one (running)");
  await desktop.choose("one (running)");
  await desktop.until(async () => (await ui.path()) === `/sessions/${session(world, "one").id}`, "the session is shown");
  await desktop.choose("New session");
  await desktop.until(async () => (await ui.path()) === "/new", "the form is shown");

  desktop.press("ctrl+w");
  await desktop.until(() => desktop.windows().length === 0, "the window is hidden");
  await desktop.until(() => desktop.notifications.length === 1, "it is told where the app is");
  expect(desktop.notifications[0]?.title).toBe("Amp Orchestra goes on in the tray");
  await desktop.choose("Show window");
  await desktop.until(() => desktop.windows().length === 1, "the window is back");
  desktop.press("ctrl+w");
  await desktop.until(() => desktop.windows().length === 0, "the window is hidden again");
  expect(desktop.notifications).toHaveLength(1);
});

test("the title tells how many need the user", async ({ desktop, world }) => {
  world.setScenario('[[step]]\ndo = "ask"\ntext = "Which one?"\n');
  const app = desktop.launch();
  await desktop.until(() => desktop.windows().includes("Amp Orchestra"), "the window is there");
  world.orchestra("session", "new", "--name", "one", "--prompt", "Greet amp");
  world.orchestra("session", "iterate", "one", "--detach");
  await desktop.until(() => desktop.windows().includes("(1) Amp Orchestra"), "the title counts");
  await endProcess(app);
  desktop.launch(["--background"]);
  await desktop.untilTrayHas("1 needs you");
  await desktop.choose("Show window");
  await desktop.until(() => desktop.windows().includes("(1) Amp Orchestra"), "a window that is shown later counts too");
});

test("a second start passes its link on and ends", async ({ desktop, world }) => {
  world.orchestra("session", "new", "--name", "one", "--prompt", "Greet amp");
  const { id } = session(world, "one");
  const driver = await desktop.drive();
  const ui = desktopUi(driver);
  await ui.sees("Live");
  const second = desktop.launch([`orchestra://session/${id}`]);
  const [code] = (await once(second, "exit")) as [number];
  expect(code).toBe(0);
  await desktop.until(async () => (await ui.path()) === `/sessions/${id}`, "the first one shows it");
  expect(desktop.windows().filter((title) => title.includes("Amp Orchestra"))).toHaveLength(1);
});

test("it starts at a link, and in the background without a window", async ({ desktop, world }) => {
  world.orchestra("session", "new", "--name", "one", "--prompt", "Greet amp");
  const { id } = session(world, "one");
  const app = desktop.launch(["--background"]);
  await desktop.untilTrayHas("Show window");
  expect(desktop.windows().filter((title) => title.includes("Amp Orchestra"))).toEqual([]);
  await endProcess(app);
  const driver = await desktop.drive([`orchestra://session/${id}`]);
  const ui = desktopUi(driver);
  await desktop.until(async () => (await ui.path()) === `/sessions/${id}`, "the session is shown");
});

test("what was cut off is offered at the start", async ({ desktop, world }) => {
  world.orchestra("session", "new", "--name", "one", "--prompt", "Greet amp");
  world.orchestra("session", "iterate", "one", "--detach");
  await desktop.until(() => session(world, "one").status === "running", "the agent works");
  desktop.killRunners();
  await desktop.until(() => session(world, "one").status === "interrupted", "it was cut off");
  const driver = await desktop.drive();
  const ui = desktopUi(driver);
  await ui.sees(/was interrupted|interrupted/i);
  await ui.sees("Resume");
});

/** Sockets of this machine on which somebody listens, by their number: of the network, and those with a path. */
function listeners(): Set<string> {
  const found = new Set<string>();
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of readFileSync(file, "utf8").split("\n").slice(1)) {
      const words = line.trim().split(/\s+/);
      if (words[3] === "0A" && words[9] !== undefined) found.add(words[9]);
    }
  }
  for (const line of readFileSync("/proc/net/unix", "utf8").split("\n").slice(1)) {
    const words = line.trim().split(/\s+/);
    if (words[3] === "00010000" && words[6] !== undefined) found.add(words[6]);
  }
  return found;
}

function socketsOf(pid: number): string[] {
  const folder = `/proc/${String(pid)}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}
