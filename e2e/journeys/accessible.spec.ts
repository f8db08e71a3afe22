/** What axe finds on every page in both themes, and a journey without a mouse. */
import AxeBuilder from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";

import { made } from "../support/sessions";
import { expect, test } from "../support/test";
import type { World } from "../support/world";

const PAGES = [
  "/",
  "/?view=board",
  "/new",
  "/sessions/login",
  "/sessions/login?tab=diff",
  "/sessions/login?tab=diff&split=true",
  "/sessions/login?tab=scripts",
  "/sessions/login?tab=inspector",
  "/sessions/clash/conflicts",
  "/conflicts",
  "/dashboard",
  "/dashboard?view=table",
  "/manage/agents",
  "/manage/toolboxes",
  "/manage/toolboxes?do=check",
  "/manage/mcp-servers",
  "/manage/templates",
  "/manage/templates?do=new",
  "/manage/slash-commands",
  "/manage/repositories",
  "/manage/commands",
  "/manage/worktrees",
  "/manage/queue",
  "/manage/operations",
  "/manage/trash",
  "/manage/trash?do=house",
  "/manage/leases",
  "/manage/notifications",
  "/manage/settings",
  "/manage/settings?edit=git.human_changes",
  "/manage/doctor",
  "/manage/doctor?sandbox=true",
  "/manage/data",
  "/nowhere",
];

/** A session whose rebase waits at a conflict. */
function clashing(world: World): void {
  made(world, "clash", { "hello.txt": "hello session\n" });
  world.write("hello.txt", "hello base\n");
  world.git("commit", "--quiet", "--all", "--message", "Main moves on");
  expect(() => world.orchestra("session", "rebase", "clash")).toThrow();
}

const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What is wrong, in one line each. Only colours are not the same in both schemes. */
async function complaints(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const axe = new AxeBuilder({ page });
    const { violations } = await (colorScheme === "light" ? axe.withTags(STANDARDS) : axe.withRules("color-contrast")).analyze();
    found.push(...violations.flatMap(({ id, nodes }) => nodes.map((node) => `${colorScheme}, ${id}: ${node.target.join(" ")}`)));
  }
  return found;
}

test("axe finds nothing on any page in both schemes", async ({ page, world }) => {
  test.setTimeout(300_000);
  world.orchestra("session", "new", "--name", "login", "--prompt", "Fix the login form", "--run");
  world.orchestra("session", "new", "--name", "gone", "--prompt", "Go", "--run");
  world.orchestra("session", "cleanup", "gone", "--even-unlanded");
  clashing(world);
  await world.open(page);
  const found: Record<string, string[]> = {};
  for (const where of PAGES) {
    await page.goto(world.origin + where);
    await expect(page.getByRole("main").getByRole("heading").first()).toBeVisible();
    await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    const wrong = await complaints(page);
    if (wrong.length > 0) found[where] = wrong;
  }
  await page.goto(world.origin);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Search sessions and commands" })).toBeFocused();
  const inPalette = await complaints(page);
  if (inPalette.length > 0) found.palette = inPalette;
  expect(found).toEqual({});
});

/** Presses Tab until something has the focus; a person would do the same. */
async function tabTo(page: Page, target: Locator, most = 120): Promise<void> {
  for (let presses = 0; presses < most; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement).catch(() => false)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${target.toString()}`);
}

async function fromPalette(page: Page, words: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Search sessions and commands" })).toBeFocused();
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
}

test("everything works without a mouse", async ({ page, world }) => {
  test.setTimeout(180_000);
  world.orchestra("session", "new", "--name", "login", "--prompt", "Fix the login form", "--run");
  await world.open(page);
  await expect(page.getByRole("main")).toContainText("login");

  // The first Tab leads past the edges of the page.
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeFocused();

  // Enter presses what has the focus, also where it opens the current row of a list.
  await tabTo(page, page.getByRole("main").getByRole("link", { name: "New session" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "New session" })).toBeVisible();
  await page.goBack();
  await tabTo(page, page.getByRole("link", { name: "login", exact: true }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "login" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("row", { name: /login/ })).toBeVisible();

  // Keys lead to pages, and the sheet says which.
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();

  // The palette leads to a setting, which is changed and taken back.
  await fromPalette(page, "settings where they come from");
  await expect(page.getByRole("heading", { name: "Settings", exact: true })).toBeVisible();
  await tabTo(page, page.getByRole("textbox", { name: "Search settings" }));
  await page.keyboard.type("max_concurrent");
  await tabTo(page, page.getByRole("button", { name: "Change core.max_concurrent_sessions" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Value" })).toBeFocused();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("5");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("group", { name: "core.max_concurrent_sessions" })).toContainText("Your file");
  await tabTo(page, page.getByRole("button", { name: "Undo" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("group", { name: "core.max_concurrent_sessions" })).toContainText("Default");

  // A dialog that takes away begins at Cancel, and Escape leaves it.
  await fromPalette(page, "prune worktrees");
  await expect(page.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  // A new session, from its key to its page.
  await page.keyboard.press("c");
  await expect(page.getByRole("heading", { name: "New session" })).toBeVisible();
  await tabTo(page, page.getByRole("textbox", { name: "Prompt" }));
  await page.keyboard.type("Write the docs");
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/sessions\/.+/);

  // And back to the one before, by its name.
  await fromPalette(page, "login");
  await expect(page.getByRole("heading", { name: "login" })).toBeVisible();
});
