import { expect, test } from "../support/test";

const SCENARIO = `
[[step]]
do = "message"
text = "Updating the greeting."

[[step]]
do = "edit"
path = "hello.txt"
old = "hello world"
new = "hello amp"
`;

test.describe("the first session", () => {
  test.use({ wishes: { scenario: SCENARIO, paceMs: 300 } });

  test("is made in the page, watched to its end and found in the list", async ({ page, world }) => {
    await world.open(page);
    await expect(page).toHaveURL(`${world.origin}/`);
    await expect(page.getByText("No sessions yet")).toBeVisible();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();

    await page.keyboard.press("c");
    await page.getByRole("combobox", { name: "Repository" }).fill(world.repository);
    await page.getByLabel("Prompt").fill("Greet amp instead of the world");
    await expect(page.getByRole("region", { name: "Preview" })).toContainText("greet-amp-instead-world");
    await expect(page.getByText("Starts from the local branch")).toBeVisible();
    await page.keyboard.press("Control+Enter");

    await expect(page.getByRole("heading", { name: "greet-amp-instead-world" })).toBeVisible();
    await expect(page.getByText("Idle").first()).toBeVisible();

    await page.keyboard.press("g");
    await page.keyboard.press("s");
    const row = page.getByRole("row", { name: /greet-amp-instead-world/ });
    await expect(row).toContainText("Idle");
    await expect(row).toContainText("+1");
    await expect(row).toContainText("−1");
    expect(world.git("log", "--all", "--format=%s")).toContain("amp:");
  });

  test("is followed while it runs, whoever started it", async ({ page, world }) => {
    await world.open(page);
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    let lists = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/api/v1/sessions") lists += 1;
    });
    world.orchestra("session", "new", "--name", "by-hand", "--prompt", "Greet amp");
    const row = page.getByRole("row", { name: /by-hand/ });
    await expect(row).toContainText("Idle");
    world.orchestra("session", "iterate", "by-hand", "--detach");
    await expect(row).toContainText("Running");
    await expect(row).toContainText("Idle");
    expect(lists).toBe(0);
  });
});

test("a page without the token says how to get one, and takes it", async ({ page, world }) => {
  await page.goto(world.origin);
  await expect(page.getByRole("heading", { name: "This page needs its token" })).toBeVisible();
  await page.getByLabel("Token or address").fill(world.orchestra("serve", "--token"));
  await page.getByRole("button", { name: "Open" }).click();
  await expect(page.getByText("No sessions yet")).toBeVisible();
});

test("a server that was killed and came back is noticed", async ({ page, world }) => {
  await world.open(page);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await world.stop("SIGKILL");
  await expect(page.getByRole("alert")).toContainText("The server does not answer");
  world.orchestra("session", "new", "--name", "meanwhile", "--prompt", "Greet amp");
  await world.serve();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(page.getByRole("row", { name: /meanwhile/ })).toBeVisible();
});

test("tabs share one stream, and the next one takes over", async ({ context, page, world }) => {
  await world.open(page);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  const tabs = [page];
  for (let count = 0; count < 7; count += 1) {
    const tab = await context.newPage();
    await tab.goto(`${world.origin}/`);
    await expect(tab.getByText("Live", { exact: true })).toBeVisible();
    tabs.push(tab);
  }
  world.orchestra("session", "new", "--name", "first", "--prompt", "Greet amp");
  for (const tab of tabs) await expect(tab.getByRole("row", { name: /first/ })).toBeVisible();
  await page.close();
  world.orchestra("session", "new", "--name", "second", "--prompt", "Greet amp");
  for (const tab of tabs.slice(1)) await expect(tab.getByRole("row", { name: /second/ })).toBeVisible();
});
