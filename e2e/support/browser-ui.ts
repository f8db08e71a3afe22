import { type Page, expect } from "@playwright/test";

import type { Place, Ui } from "./ui";
import type { World } from "./world";

/** The page in a browser. */
export function browserUi(page: Page, world: World): Ui {
  return {
    go: (path) => world.open(page, path),
    path: () => Promise.resolve(new URL(page.url()).pathname),
    press: (key) => page.keyboard.press(key),
    fill: (label, text) => page.getByLabel(label).first().fill(text),
    click: (role, name, within) => (within ? place(page, within) : page).getByRole(role, { name, exact: true }).first().click(),
    sees: async (text, within) => {
      if (within) await expect(place(page, within).first()).toContainText(text);
      else await expect(page.getByText(text).first()).toBeVisible();
    },
    reload: async () => void (await page.reload()),
  };
}

function place(page: Page, { role, name }: Place) {
  return page.getByRole(role, name === undefined ? {} : { name, exact: true });
}
