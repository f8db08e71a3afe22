/** Settings, trash, operations, templates and the doctor, over the real engine. */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";

import type { Page } from "@playwright/test";

import { session } from "../support/sessions";
import { expect, test } from "../support/test";
import type { World } from "../support/world";

/** A session whose agent worked once. */
function workedSession(world: World, name: string): void {
  world.orchestra("session", "new", "--name", name, "--prompt", `Work on ${name}`, "--run");
}

const setting = (page: Page, key: string) => page.getByRole("group", { name: key, exact: true });

test("a setting is changed and says where it comes from", async ({ page, world }) => {
  await world.open(page, "/manage/settings?text=max_concurrent");
  const row = setting(page, "core.max_concurrent_sessions");
  await expect(row).toContainText("Default");
  await row.getByRole("button", { name: "Change core.max_concurrent_sessions" }).click();
  await page.getByRole("textbox", { name: "Value" }).fill("3");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("Your file");
  await expect(row).toContainText("3");
  expect(world.orchestra("config", "get", "core.max_concurrent_sessions").trim()).toBe("3");

  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row).toContainText("Default");
  expect(world.orchestra("config", "get", "core.max_concurrent_sessions").trim()).toBe("8");
});

test("a repository's setting counts before the user's", async ({ page, world }) => {
  workedSession(world, "login");
  await world.open(page, `/manage/settings?text=commit_prefix&repo=${encodeURIComponent(world.repository)}`);
  const row = setting(page, "git.commit_prefix");
  await row.getByRole("button", { name: "Change git.commit_prefix" }).click();
  await page.getByRole("textbox", { name: "Value" }).fill("agent:");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("Repository file");
  await row.getByRole("button", { name: "Unset git.commit_prefix" }).click();
  await expect(row).toContainText("Default");
});

test("a value that makes no sense is refused and the dialog stays", async ({ page, world }) => {
  await world.open(page, "/manage/settings?edit=core.max_concurrent_sessions");
  await page.getByRole("textbox", { name: "Value" }).fill("many");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("core.max_concurrent_sessions was not changed")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Value" })).toHaveValue("many");
});

test("a worktree comes back from the trash", async ({ page, world }) => {
  workedSession(world, "login");
  await world.open(page, "/manage/trash");
  await expect(page.getByText("The trash is empty")).toBeVisible();
  // Somebody cleans up elsewhere: the page finds out by itself.
  world.orchestra("session", "cleanup", "login", "--even-unlanded");
  await page.getByRole("button", { name: "Restore login" }).click();
  await expect(page.getByText("login is back")).toBeVisible();
  await expect(page.getByText("The trash is empty")).toBeVisible();
  expect(JSON.parse(world.orchestra("trash", "list", "--json"))).toMatchObject({ trash: [] });
});

test("an operation is undone and done again", async ({ page, world }) => {
  workedSession(world, "login");
  world.orchestra("session", "iterate", "login", "more");
  world.orchestra("session", "squash", "login", "--message", "Log in");
  await world.open(page, "/manage/operations");
  await page.getByRole("button", { name: "Undo squash" }).click();
  const table = page.getByRole("table", { name: "Operations of the session" });
  await expect(table).toContainText("Undone");
  await page.getByRole("main").getByRole("button", { name: "Redo" }).click();
  await expect(page.getByRole("button", { name: /^Undo/ }).first()).toBeEnabled();
  await expect(table.getByRole("row").nth(1)).toContainText("Redo");
});

test("a template is saved, used, deleted and brought back", async ({ page, world }) => {
  workedSession(world, "first");
  await world.open(page, "/manage/templates?do=new");
  await page.getByRole("textbox", { name: "Name" }).fill("docs");
  await page.getByRole("textbox", { name: "Prompt" }).fill("Write about {{topic}}");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("table", { name: "Templates" })).toContainText("Write about {{topic}}");
  expect(world.orchestra("template", "list")).toContain("docs");

  await page.getByRole("link", { name: "Use docs" }).click();
  await expect(page).toHaveURL(/\/new\?template=docs/);
  await page.getByRole("textbox", { name: "topic" }).fill("the form");
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/\/sessions\//);
  expect(world.orchestra("session", "list", "--json")).toContain("Write about the form");

  await page.goto(`${world.origin}/manage/templates`);
  await page.getByRole("button", { name: "More for docs" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("There is no template yet")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("link", { name: "Use docs" })).toBeVisible();
});

test("commands of a repository are read and allowed", async ({ page, world }) => {
  world.write(".orchestra/config.toml", '[scripts]\ntest = "true"\n');
  workedSession(world, "login");
  await world.open(page, "/manage/commands");
  await page.getByRole("button", { name: "Allow 1 command" }).click();
  await expect(page.getByRole("dialog")).toContainText("scripts.test: true");
  await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
  await expect(page.getByRole("table", { name: "Commands" })).toContainText("Allowed");
});

test("the doctor looks and repairs", async ({ page, world }) => {
  workedSession(world, "login");
  const left = path.join(world.root, "data/snapshots", session(world, "login").id, "cut-off.unfinished");
  mkdirSync(left, { recursive: true });
  await world.open(page, "/manage/doctor");
  await expect(page.getByRole("table", { name: "Checks" })).toContainText("taking a snapshot was cut off");
  await expect(page.getByRole("table", { name: "Checks" })).toContainText("git");
  await expect(page.getByRole("table", { name: "Sandbox" })).toContainText("sandbox");
  await page.getByRole("button", { name: "Repair" }).click();
  await expect(page.getByText(/^\d+ repaired$/)).toBeVisible();
  await expect(page.getByRole("table", { name: "Checks" })).toContainText("removed the unfinished");
  expect(existsSync(left)).toBe(false);
});

test("the dashboard grows when an agent is done", async ({ page, world }) => {
  await world.open(page, "/dashboard");
  await expect(page.getByText("No agent ran in this time")).toBeVisible();
  workedSession(world, "login");
  await expect(page.getByRole("group", { name: "Iterations" })).toContainText("1");
  await page.getByText("Table", { exact: true }).click();
  await expect(page).toHaveURL(/view=table/);
  await page.reload();
  await expect(page.getByRole("table", { name: "Figures over time" })).toBeVisible();
});
