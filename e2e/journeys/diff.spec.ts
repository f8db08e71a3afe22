import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import type { Page } from "@playwright/test";

import { type Row, session } from "../support/sessions";
import { expect, test } from "../support/test";
import type { World } from "../support/world";

const SCENARIO = `
[[turn]]
steps = [
  { do = "edit", path = "hello.txt", old = "hello world", new = "hello amp" },
  { do = "write", path = "src/add.js", text = "export function add(a, b) {\\n  return a + b;\\n}\\n" },
]

[[turn]]
steps = [{ do = "edit", path = "hello.txt", old = "hello amp", new = "hello everybody" }]
`;

test.use({ wishes: { scenario: SCENARIO } });

function begin(world: World): Row {
  world.orchestra("session", "new", "--name", "login", "--prompt", "Greet amp", "--run");
  return session(world, "login");
}

/** Everything that was said to the agent. */
function heard(world: World): string {
  const home = path.join(world.root, "fake-amp");
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
  return files.map((it) => readFileSync(path.join(it.parentPath, it.name), "utf8")).join("\n");
}

async function openDiff(world: World, page: Page, id: string, file: string) {
  await world.open(page, `/sessions/${id}?tab=diff&file=${encodeURIComponent(file)}`);
  const lines = page.getByRole("region", { name: `Changes in ${file}` });
  await expect(lines).toBeVisible();
  return lines;
}

test("comments on lines outlive a reload and reach the agent as one follow-up", async ({ world, page }) => {
  const { id } = begin(world);
  await openDiff(world, page, id, "hello.txt");
  await page.getByRole("button", { name: "Comment on line 1", exact: true }).click();
  await page.getByRole("textbox", { name: "Comment on line 1" }).fill("Greet everybody");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("note", { name: "Comment on line 1" })).toContainText("Greet everybody");

  await page.getByRole("treeitem", { name: /add\.js/ }).first().click();
  await expect(page.getByRole("region", { name: "Changes in src/add.js" })).toBeVisible();
  // By keys alone: the first change, one line further, and a comment on both.
  for (const key of ["n", "Shift+J", "c"]) await page.keyboard.press(key);
  await page.getByRole("textbox", { name: "Comment on lines 1-2" }).fill("Say what it adds");
  await page.getByRole("button", { name: /Add comment/ }).click();

  await page.reload();
  await page.getByRole("button", { name: "2 comments" }).click();
  await expect(page.getByRole("region", { name: "Comments" }).getByText("Greet everybody")).toBeVisible();
  await page.getByRole("button", { name: "Send to the agent" }).click();
  await expect(page.getByText("2 comments sent with iteration 2")).toBeVisible();
  await expect(page.getByRole("button", { name: "Send to the agent" })).toBeHidden();

  world.orchestra("session", "wait", id);
  const said = heard(world);
  expect(said).toContain("hello.txt, line 1:");
  expect(said).toContain("Greet everybody");
  expect(said).toContain("src/add.js, lines 1-2:");
  expect(said).toContain("Say what it adds");

  const lines = await openDiff(world, page, id, "hello.txt");
  await expect(lines).toContainText("hello everybody");
  await page.getByRole("combobox", { name: "What is compared" }).or(page.getByRole("textbox", { name: "What is compared" })).click();
  await page.getByRole("option", { name: "Iteration 1 alone" }).click();
  await expect(lines).toContainText("hello amp");
});

test("a file is edited in the page, and what changed underneath is not lost", async ({ world, page }) => {
  const { id, worktree_path: worktree } = begin(world);
  await openDiff(world, page, id, "hello.txt");
  await page.keyboard.press("e");
  const field = page.getByRole("textbox", { name: "Content of hello.txt" });
  await expect(field).toHaveValue("hello amp\n");
  writeFileSync(path.join(worktree, "hello.txt"), "hello from outside\n");
  await field.fill("hello from the page\n");
  await page.keyboard.press("Control+s");
  await expect(page.getByText(/changed in the worktree since you opened it/)).toBeVisible();
  expect(readFileSync(path.join(worktree, "hello.txt"), "utf8")).toBe("hello from outside\n");
  await page.getByRole("button", { name: "Replace it with mine" }).click();
  await expect(page.getByText("hello.txt saved")).toBeVisible();
  expect(readFileSync(path.join(worktree, "hello.txt"), "utf8")).toBe("hello from the page\n");
});

test("a diff of 5,000 files has few of them in the page, and leads to each", async ({ world, page }) => {
  const { id, worktree_path: worktree } = begin(world);
  for (let at = 0; at < 5_000; at += 1) writeFileSync(path.join(worktree, `file-${String(at).padStart(4, "0")}.txt`), `one\ntwo ${at}\n`);
  await openDiff(world, page, id, "file-4999.txt");
  expect(await page.getByRole("treeitem").count()).toBeLessThan(120);
  await page.keyboard.press("[");
  await expect(page.getByRole("region", { name: "Changes in file-4998.txt" })).toBeVisible();
  await page.getByRole("textbox", { name: "Filter files" }).fill("0042");
  await expect(page.getByRole("treeitem", { name: /file-0042/ }).first()).toBeVisible();
});
