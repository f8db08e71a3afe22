import { made, session } from "../support/sessions";
import { expect, test } from "../support/test";

test("a conflict is decided in the page, and the session lands", async ({ world, page }) => {
  world.write("list.txt", "one\ntwo\nthree\n");
  world.git("add", "--all");
  world.git("commit", "--quiet", "--message", "A list");
  const { id } = made(world, "login", { "hello.txt": "hello session\n", "list.txt": "one\ntwo by the session\nthree\n" });
  world.write("hello.txt", "hello base\n");
  world.write("list.txt", "one\ntwo by main\nthree\n");
  world.git("commit", "--quiet", "--all", "--message", "Main moves on");

  await world.open(page, `/sessions/${id}/conflicts`);
  await expect(page.getByText(/would stop at/)).toBeVisible();
  await page.getByRole("button", { name: "Rebase onto main" }).click();
  await expect(page.getByText("2 to decide")).toBeVisible();
  await expect(page.getByRole("button", { name: "Continue" })).toBeDisabled();

  await page.getByRole("button", { name: /^hello\.txt/ }).click();
  await page.getByRole("button", { name: "Take the session's" }).click();
  await expect(page.getByText("hello.txt: the session's version taken")).toBeVisible();

  const result = page.getByRole("textbox", { name: "Result for list.txt" });
  await expect(result).toHaveValue(/<<<<<<< /);
  await page.getByRole("button", { name: "Both", exact: true }).click();
  await expect(result).toHaveValue("one\ntwo by main\ntwo by the session\nthree\n");
  await page.reload();
  await expect(result).toHaveValue("one\ntwo by main\ntwo by the session\nthree\n");
  await page.getByRole("button", { name: "Take this result" }).click();
  await expect(page.getByText("All files are decided")).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).first().click();
  await expect(page.getByText("Nothing conflicts")).toBeVisible();

  world.orchestra("session", "merge", "login", "--override", "reviewed");
  expect(world.git("show", "main:list.txt")).toBe("one\ntwo by main\ntwo by the session\nthree\n");
  expect(world.git("show", "main:hello.txt")).toBe("hello session\n");
});

test("a decision is undone, and the rebase given up", async ({ world, page }) => {
  const { id, branch_name: branch } = made(world, "login", { "hello.txt": "hello session\n" });
  const before = world.git("rev-parse", branch);
  world.write("hello.txt", "hello base\n");
  world.git("commit", "--quiet", "--all", "--message", "Main moves on");
  await world.open(page, `/sessions/${id}/conflicts`);
  await page.getByRole("button", { name: "Rebase onto main" }).click();
  await page.getByRole("button", { name: "Take main's" }).click();
  await expect(page.getByText("All files are decided")).toBeVisible();
  await page.getByRole("navigation", { name: "Files in conflict" }).getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("1 to decide")).toBeVisible();
  await page.getByRole("button", { name: "Give up…" }).click();
  await page.getByRole("button", { name: "Give up", exact: true }).click();
  await expect(page.getByText(/would stop at/)).toBeVisible();
  expect(world.git("rev-parse", branch)).toBe(before);
  expect(session(world, "login").status).toBe("idle");
});

test("the matrix tells which sessions cannot both land", async ({ world, page }) => {
  made(world, "login", { "hello.txt": "hello login\n" });
  made(world, "signup", { "hello.txt": "hello signup\n" });
  made(world, "docs", { "docs.txt": "docs\n" });
  await world.open(page, "/conflicts");
  await expect(page.getByRole("button", { name: "docs and main: no conflict" })).toBeVisible();
  await page.getByRole("button", { name: "login and signup: 1 conflict" }).click();
  await expect(page.getByRole("complementary", { name: "The chosen pair" })).toContainText("hello.txt");
  await expect(page).toHaveURL(/one=.*other=/);
});
