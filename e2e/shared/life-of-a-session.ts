/** From a prompt to landed work and back, the same in every face that shows the page. */
import { expect } from "@playwright/test";

import { session } from "../support/sessions";
import type { Ui } from "../support/ui";
import type { World } from "../support/world";

export const SCENARIO = `
[[step]]
do = "message"
text = "Updating the greeting."

[[step]]
do = "edit"
path = "hello.txt"
old = "hello world"
new = "hello amp"
`;

const NAME = "greet-amp-instead-world";

export async function lifeOfASession(ui: Ui, world: World): Promise<void> {
  await ui.sees("No sessions yet");
  await ui.sees("Live");

  await ui.press("c");
  await ui.sees("New session", { role: "heading", name: "New session" });
  await ui.fill("Repository", world.repository);
  await ui.fill("Prompt", "Greet amp instead of the world");
  await ui.sees(NAME, { role: "region", name: "Preview" });
  await ui.press("Control+Enter");
  await ui.sees(NAME, { role: "heading", name: NAME });
  await ui.sees("Updating the greeting.");
  await ui.sees("Idle");
  const made = session(world, NAME);
  expect(await ui.path()).toBe(`/sessions/${made.id}`);

  await ui.reload();
  await ui.click("tab", /^Diff/);
  await ui.sees("hello amp");

  await ui.click("button", "Merge");
  await ui.click("button", "Approve", { role: "dialog" });
  await ui.click("button", "Merge", { role: "dialog" });
  await ui.sees("Completed");
  expect(world.git("show", "main:hello.txt")).toBe("hello amp\n");

  await ui.reload();
  await ui.click("button", "Undo", { role: "list", name: "Timeline" });
  await ui.click("button", "Undo", { role: "dialog" });
  await expect.poll(() => world.git("show", "main:hello.txt")).toBe("hello world\n");

  await ui.go("/");
  await ui.sees("Idle", { role: "row", name: new RegExp(NAME) });
}
