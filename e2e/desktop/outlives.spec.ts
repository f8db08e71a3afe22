/** Agents go on, whatever becomes of the app in the middle of an iteration. */
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { APP, type Desktop, endProcess } from "../support/desktop";
import { expect, test } from "../support/desktop-test";
import { desktopUi } from "../support/desktop-ui";
import { session } from "../support/sessions";
import type { WebDriver } from "../support/webdriver";
import { BINARIES, type World } from "../support/world";

const SCENARIO = `
[[step]]
do = "message"
text = "Working on it"

[[step]]
do = "sleep"
milliseconds = 8000

[[step]]
do = "edit"
path = "hello.txt"
old = "hello world"
new = "hello amp"
`;

test.use({ wishes: { scenario: SCENARIO } });

/** Starts an agent in the page, and is back once it works. */
async function startAgent(driver: WebDriver, world: World): Promise<void> {
  const ui = desktopUi(driver);
  await ui.sees("Live");
  await ui.press("c");
  await ui.sees("New session", { role: "heading", name: "New session" });
  await ui.fill("Repository", world.repository);
  await ui.fill("Prompt", "Greet amp");
  await ui.press("Control+Enter");
  await ui.sees("Working on it");
  expect(session(world, "greet-amp").status).toBe("running");
}

async function completes(desktop: Desktop, world: World): Promise<void> {
  await desktop.until(() => session(world, "greet-amp").status === "idle", "the iteration is over");
  const { branch_name } = session(world, "greet-amp");
  expect(world.git("show", `${branch_name}:hello.txt`)).toBe("hello amp\n");
}

test("quitting stops no agent, and says so once", async ({ desktop, world }) => {
  const driver = await desktop.drive();
  await startAgent(driver, world);
  await desktop.choose("Quit (agents go on)");
  await desktop.until(() => desktop.windows().length === 0, "the window is gone");
  await completes(desktop, world);
  const said = desktop.notifications.filter(({ title }) => title.includes("without the app"));
  expect(said.map(({ title }) => title)).toEqual(["1 session goes on without the app"]);
});

test("an app that is killed takes no agent with it", async ({ desktop, world }) => {
  world.orchestra("session", "new", "--name", "greet-amp", "--prompt", "Greet amp");
  const app = desktop.launch();
  await desktop.until(() => desktop.windows().includes("Amp Orchestra"), "the window is there");
  world.orchestra("session", "iterate", "greet-amp", "--detach");
  await endProcess(app, "SIGKILL");
  await completes(desktop, world);
});

test("a killed app whose agent it started itself finds the work done when it is back", async ({ desktop, world }) => {
  const driver = await desktop.drive();
  await startAgent(driver, world);
  process.kill(desktop.pid, "SIGKILL");
  await desktop.until(() => desktop.windows().length === 0, "the window is gone");
  await completes(desktop, world);
  const again = desktopUi(await desktop.drive());
  await again.sees("Idle", { role: "row", name: /greet-amp/ });
});

test("replacing the programs in the middle of an iteration harms nothing", async ({ desktop, world }) => {
  const installed = path.join(world.root, "installed");
  mkdirSync(installed);
  const programs = [path.basename(APP), "orchestra"];
  for (const name of programs) copyFileSync(path.join(BINARIES, name), path.join(installed, name));
  const driver = await desktop.drive([], path.join(installed, path.basename(APP)));
  await startAgent(driver, world);
  // An installer takes the old files away and puts others in their place.
  for (const name of programs) {
    rmSync(path.join(installed, name));
    writeFileSync(path.join(installed, name), "replaced");
  }
  await completes(desktop, world);
  await desktopUi(driver).sees("Idle");
  expect(readdirSync(path.join(world.root, "data/programs"))).toHaveLength(1);
});
