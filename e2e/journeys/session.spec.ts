/** The whole life of a session in its page: from the first run to the merge and back. */
import { session } from "../support/sessions";
import { expect, test } from "../support/test";

const SCENARIO = `
[[turn]]
steps = [
  { do = "thinking", text = "There are two greetings." },
  { do = "message", text = "I looked at the greeting." },
  { do = "ask", text = "Which greeting do you want?" },
]

[[turn]]
steps = [
  { do = "edit", path = "hello.txt", old = "hello world", new = "hello amp" },
  { do = "usage", input_tokens = 900, output_tokens = 120 },
  { do = "message", text = "The greeting is changed." },
]

[[turn]]
steps = [
  { do = "write", path = "second.txt", text = "second\\n" },
  { do = "emit_raw", escaped = "this is no json\\n" },
  { do = "message", text = "Wrote the second file." },
]
`;

test.use({ wishes: { scenario: SCENARIO } });

test("runs, answers, tests, squashes, merges and takes it back", async ({ page, world }) => {
  world.orchestra("config", "set", "scripts.test", "printf '\\033[32mall fine\\033[0m\\n'");
  world.orchestra("session", "new", "--name", "greeting", "--prompt", "Change the greeting");
  const { id, branch_name: branch } = session(world, "greeting");
  const ahead = () => Number(world.git("rev-list", "--count", `main..${branch}`));
  const greeting = () => world.git("show", "main:hello.txt");

  await world.open(page, `/sessions/${id}`);
  await expect(page.getByText("No iteration yet")).toBeVisible();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const answer = page.getByRole("textbox", { name: "Your answer" });
  await expect(answer).toBeVisible();
  await expect(page.getByText("I looked at the greeting.")).toBeVisible();

  // A draft and the question outlive the page.
  await answer.fill("The short one");
  await page.reload();
  await expect(answer).toHaveValue("The short one");
  await answer.press("Control+Enter");
  await expect(page.getByText("The greeting is changed.").first()).toBeVisible();
  await expect(page.getByText("+1", { exact: true }).first()).toBeVisible();

  const followUp = page.getByRole("textbox", { name: "Follow-up" });
  await followUp.fill("And a second file");
  await followUp.press("Control+Enter");
  await expect(page.getByText("Wrote the second file.").first()).toBeVisible();
  await expect(page.getByText("this is no json").first()).toBeVisible();
  await expect(page.getByRole("list", { name: "Timeline" }).getByText("Iteration 3 succeeded")).toBeVisible();
  expect(ahead()).toBe(2);

  await page.getByRole("button", { name: "Run tests" }).click();
  await expect(page.getByRole("log").getByText("all fine")).toBeVisible();
  await expect(page.getByText("passed").first()).toBeVisible();
  await page.reload();
  await expect(page.getByRole("log").getByText("all fine")).toBeVisible();

  await page.getByRole("tab", { name: "Inspector" }).click();
  await expect(page.getByRole("table", { name: "Spans" }).getByText("Iteration 3")).toBeVisible();

  await page.getByRole("button", { name: "Squash and rebase" }).click();
  await page.getByRole("textbox", { name: "Message of the commit" }).fill("Greet amp");
  await page.getByRole("dialog").getByRole("button", { name: "Squash and rebase" }).click();
  await expect(page.getByRole("list", { name: "Timeline" }).getByText("Greet amp").first()).toBeVisible();
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(ahead()).toBe(1);

  await page.getByRole("button", { name: "Run tests" }).click();
  await expect(page.getByRole("log").getByText("all fine")).toBeVisible();
  await page.getByRole("button", { name: "Merge" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  const merge = page.getByRole("dialog").getByRole("button", { name: "Merge", exact: true });
  await expect(merge).toBeEnabled();
  // Its buttons stay in sight, however low the window is.
  await page.setViewportSize({ width: 1280, height: 560 });
  await expect(merge).toBeInViewport({ ratio: 1 });
  await merge.click();
  await expect(page.getByText("Completed")).toBeVisible();
  expect(greeting()).toContain("hello amp");

  await page.reload();
  await page.getByRole("list", { name: "Timeline" }).getByRole("button", { name: "Undo" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Completed")).toBeHidden();
  expect(greeting()).toContain("hello world");
});

test("follows the agent through a reload, and stops it", async ({ page, world }) => {
  world.setScenario('[[step]]\ndo = "message"\ntext = "Working on it"\n[[step]]\ndo = "sleep"\nmilliseconds = 60000\n');
  world.orchestra("session", "new", "--name", "long", "--prompt", "Take your time");
  await world.open(page, `/sessions/${session(world, "long").id}`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("Working on it")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Working on it")).toBeVisible();
  await expect(page.getByText("Running", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
  await expect(page.getByText("Running", { exact: true })).toBeHidden();
});
