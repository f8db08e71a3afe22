/** What must not matter: a server that dies under a running agent, a second browser, and sizes that nobody expects. */
import { writeFileSync } from "node:fs";
import path from "node:path";

import { made, session } from "../support/sessions";
import { expect, test } from "../support/test";

const patient = (milliseconds: number) => `[[step]]
do = "message"
text = "Working on it"
[[step]]
do = "sleep"
milliseconds = ${String(milliseconds)}
[[step]]
do = "write"
path = "hello.txt"
text = "hello amp\\n"
[[step]]
do = "message"
text = "It is done"
`;

test.describe("a patient agent", () => {
  test.use({ wishes: { scenario: patient(4_000) } });

  test("works on while the server is killed and comes back", async ({ page, world }) => {
    world.orchestra("session", "new", "--name", "long", "--prompt", "Take your time");
    await world.open(page, `/sessions/${session(world, "long").id}`);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await expect(page.getByText("Working on it")).toBeVisible();
    await world.stop("SIGKILL");
    await expect(page.getByRole("alert")).toContainText("The server does not answer");
    await expect.poll(() => session(world, "long").status, { timeout: 30_000 }).toBe("idle");
    await world.serve();
    await expect(page.getByRole("article").getByText("It is done", { exact: true })).toBeVisible();
    await expect(page.getByText("Idle", { exact: true })).toBeVisible();
    expect(world.git("show", `${session(world, "long").branch_name}:hello.txt`)).toBe("hello amp\n");
  });

  test("is followed and steered by two browsers", async ({ browser, page, world }) => {
    // Longer than two pages take to open, however busy the machine is.
    world.setScenario(patient(60_000));
    world.orchestra("session", "new", "--name", "shared", "--prompt", "Take your time");
    const where = `/sessions/${session(world, "shared").id}`;
    const other = await (await browser.newContext()).newPage();
    await world.open(page, where);
    await world.open(other, where);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    for (const one of [page, other]) await expect(one.getByText("Working on it")).toBeVisible();
    await other.getByRole("button", { name: "Stop" }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
    for (const one of [page, other]) await expect(one.getByText("Running", { exact: true })).toBeHidden();
    await other.close();
  });
});

test("a patch of 50 MB is not loaded by looking at it, and can be had", async ({ page, world }) => {
  test.setTimeout(180_000);
  const line = `${"all work and no play ".repeat(49)}\n`;
  const { id, worktree_path } = made(world, "huge", { "small.txt": "one\n" });
  writeFileSync(path.join(worktree_path, "huge.txt"), line.repeat(50_000));
  world.orchestra("session", "commit", "huge", "--message", "A huge file");
  await world.open(page, `/sessions/${id}?tab=diff&file=huge.txt`);
  await expect(page.getByText(/too large/i)).toBeVisible();
  await page.getByRole("button", { name: /small\.txt/ }).or(page.getByRole("treeitem", { name: /small\.txt/ })).first().click();
  await expect(page.getByText("one", { exact: true })).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export patch" }).click();
  expect((await download).suggestedFilename()).toMatch(/\.patch$/);
});

const LONG = `[[step]]
do = "flood"
bytes = 3_000_000
line_length = 60
[[step]]
do = "message"
text = "The needle in the haystack"
`;

test.describe("an agent that says a lot", () => {
  test.use({ wishes: { scenario: LONG } });

  test("is read at any place, by address and by search", async ({ page, world }) => {
    test.setTimeout(180_000);
    world.orchestra("session", "new", "--name", "long", "--prompt", "Talk", "--run");
    const { id } = session(world, "long");
    await world.open(page, `/sessions/${id}?at=40000`);
    await expect(page.getByRole("article", { name: "Item 40000", exact: true })).toHaveAttribute("aria-current", "true");
    await page.goto(`${world.origin}/sessions/${id}`);
    await expect(page.getByRole("article").getByText("The needle in the haystack", { exact: true })).toBeVisible();
    await page.goto(`${world.origin}/sessions/${id}?at=1`);
    await page.getByRole("textbox", { name: "Search the transcript" }).fill("needle");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("button", { name: /found/ })).toBeVisible();
    await page.getByRole("button", { name: "Next hit" }).click();
    await expect(page.locator("article[aria-current]")).toContainText("The needle in the haystack");
  });
});
