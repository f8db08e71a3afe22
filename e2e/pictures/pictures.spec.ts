/** Takes pictures of every page in both schemes, to be looked at, and those of the guide. */
import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";

import { type Page, expect, test } from "@playwright/test";

import { session } from "../support/sessions";
import { World } from "../support/world";
import { openShop } from "./shop";

type Picture = {
  name: string;
  /** An address; `{name}` becomes the id of the session with that name. */
  at: string;
  /** What is done before the picture is taken. */
  act?: (page: Page) => Promise<void>;
};

const press = (...keys: string[]) => async (page: Page) => {
  for (const key of keys) await page.keyboard.press(key);
};

async function comment(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Comment on line 12", exact: true }).click();
  await page.getByRole("textbox", { name: "Comment on line 12" }).fill("Please say in the type that the key may not be empty.");
  await page.keyboard.press("Control+Enter");
}

const MANAGED = ["agents", "toolboxes", "mcp-servers", "templates", "slash-commands", "repositories", "commands", "worktrees", "queue", "operations", "trash", "leases", "notifications", "settings", "doctor", "data"];

const PAYMENT = encodeURIComponent("src/checkout/payment.ts");

const PICTURES: Picture[] = [
  { name: "home", at: "/" },
  { name: "home-bulk", at: "/?selected={retry-payments}.{postcodes}.{form-labels}" },
  { name: "home-none", at: "/?text=nothing-like-this" },
  { name: "board", at: "/?view=board" },
  { name: "new", at: "/new" },
  { name: "new-template", at: "/new?template=fix-component" },
  { name: "transcript", at: "/sessions/{retry-payments}" },
  { name: "running", at: "/sessions/{typo-search}" },
  { name: "question", at: "/sessions/{cart-rounding}" },
  { name: "failed", at: "/sessions/{vite-upgrade}" },
  { name: "interrupted", at: "/sessions/{lazy-pictures}" },
  { name: "not-started", at: "/sessions/{gift-cards}" },
  { name: "conflicted", at: "/sessions/{phone-numbers}" },
  { name: "landed", at: "/sessions/{wishlist}" },
  { name: "diff", at: `/sessions/{retry-payments}?tab=diff&file=${PAYMENT}`, act: comment },
  { name: "diff-split", at: `/sessions/{retry-payments}?tab=diff&split=true&file=${PAYMENT}` },
  { name: "scripts", at: "/sessions/{retry-payments}?tab=scripts" },
  { name: "inspector", at: "/sessions/{retry-payments}?tab=inspector" },
  { name: "iterate", at: "/sessions/{retry-payments}", act: press("a", "i") },
  { name: "squash", at: "/sessions/{retry-payments}", act: press("a", "s") },
  { name: "merge", at: "/sessions/{retry-payments}", act: press("a", "m") },
  { name: "cleanup", at: "/sessions/{retry-payments}", act: press("a", "x") },
  { name: "message", at: "/sessions/{retry-payments}", act: (page) => page.getByRole("button", { name: "Terminal" }).click() },
  { name: "conflicts", at: `/sessions/{phone-numbers}/conflicts?file=${encodeURIComponent("src/checkout/address.ts")}` },
  { name: "conflicts-ahead", at: "/sessions/{postcodes}/conflicts" },
  { name: "matrix", at: "/conflicts" },
  { name: "matrix-pair", at: "/conflicts?one={payment-timeouts}&other={retry-payments}" },
  { name: "dashboard", at: "/dashboard" },
  { name: "dashboard-table", at: "/dashboard?view=table" },
  { name: "palette", at: "/", act: press("Control+k") },
  { name: "shortcuts", at: "/sessions/{retry-payments}", act: press("?") },
  { name: "setting", at: "/manage/settings?edit=core.max_concurrent_sessions" },
  { name: "template-new", at: "/manage/templates?do=new" },
  ...MANAGED.map((name) => ({ name: `manage-${name}`, at: `/manage/${name}` })),
];

const SIZES = [
  { width: 1024, height: 760 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];

/** Those that `docs/web-ui.md` shows. */
const IN_GUIDE = new Set(["home", "transcript", "diff", "merge", "conflicts", "matrix-pair", "palette"]);

/** What comes after the headings, such as colours of code. */
const SETTLED_MS = 800;
const RESIZED_MS = 150;

const results = path.join(import.meta.dirname, "../results/pictures");
const guide = process.env["ORCHESTRA_PICTURES"];

let world: World;

test.beforeAll(async () => {
  test.setTimeout(300_000);
  world = new World({ scenario: "", repository: "storefront" });
  openShop(world);
  await world.serve();
  mkdirSync(results, { recursive: true });
});

test.afterAll(() => world.end());

for (const { name, at, act } of PICTURES) {
  test(name, async ({ page }) => {
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await world.open(page, at.replaceAll(/\{(.+?)\}/g, (_, of: string) => session(world, of).id));
    await expect(page.getByRole("main").getByRole("heading").first()).toBeVisible();
    await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    await act?.(page);
    await page.waitForTimeout(SETTLED_MS);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const viewport of SIZES) {
        await page.setViewportSize(viewport);
        await page.waitForTimeout(RESIZED_MS);
        await page.screenshot({ path: path.join(results, `${name}-${colorScheme}-${String(viewport.width)}.png`) });
      }
    }
    if (guide !== undefined && IN_GUIDE.has(name)) copyFileSync(path.join(results, `${name}-light-1280.png`), path.join(guide, `web-ui-${name}.png`));
  });
}
