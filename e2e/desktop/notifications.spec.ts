/** Native notifications, on a real session bus. */
import { expect, test } from "../support/desktop-test";
import { desktopUi } from "../support/desktop-ui";
import { session } from "../support/sessions";
import { ORCHESTRA } from "../support/world";

const SCENARIO = '[[step]]\ndo = "message"\ntext = "All done."\n';

test.use({ wishes: { scenario: SCENARIO } });

test("one is shown per event, whoever else is open, and a click leads to the session", async ({ desktop, world }) => {
  await world.serve(desktop.env());
  const driver = await desktop.drive();
  const ui = desktopUi(driver);
  await ui.sees("Live");
  // Nobody looks at the window, so the desktop tells.
  desktop.press("ctrl+w");
  await desktop.until(() => desktop.windows().length === 0, "the window is hidden");
  world.run(ORCHESTRA, ["session", "new", "--name", "greeting", "--prompt", "Greet amp"], desktop.env());
  world.run(ORCHESTRA, ["session", "iterate", "greeting"], desktop.env());
  await desktop.until(() => desktop.notifications.some(({ title }) => title === "greeting finished"), "the notification is shown");
  // The runner, the server and the app could all have shown it.
  await desktop.until(() => desktop.isQuiet(), "every runner is done");
  const shown = desktop.notifications.filter(({ title }) => title.startsWith("greeting"));
  expect(shown).toHaveLength(1);
  expect(shown[0]).toMatchObject({ app: "Amp Orchestra", body: "All done.", actions: ["default", "Open"] });

  desktop.click(shown[0]!);
  await desktop.until(() => desktop.windows().length === 1, "the window is back");
  await desktop.until(async () => (await ui.path()) === `/sessions/${session(world, "greeting").id}`, "the session is shown");
  await ui.sees("All done.");
});

test("a window that is looked at tells it itself", async ({ desktop, world }) => {
  const driver = await desktop.drive();
  const ui = desktopUi(driver);
  await ui.sees("Live");
  desktop.focus();
  world.run(ORCHESTRA, ["session", "new", "--name", "greeting", "--prompt", "Greet amp"], desktop.env());
  world.run(ORCHESTRA, ["session", "iterate", "greeting"], desktop.env());
  await ui.sees("greeting finished");
  await desktop.until(() => desktop.isQuiet(), "every runner is done");
  expect(desktop.notifications).toEqual([]);
});
