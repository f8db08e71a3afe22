import { test as base } from "@playwright/test";

import { type Wishes, World } from "./world";

export { expect } from "@playwright/test";

/**
 * A journey with a world of its own, whose server runs. `test.use({ wishes: { scenario } })` says what the agent does. A
 * page that throws, or breaks its content policy, fails the journey.
 */
export const test = base.extend<{ wishes: Wishes; world: World; complaints: string[] }>({
  wishes: [{}, { option: true }],
  world: async ({ wishes }, use) => {
    const world = new World(wishes);
    await world.serve();
    await use(world);
    await world.end();
  },
  complaints: [
    async ({ page }, use) => {
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.text().includes("Content Security Policy")) complaints.push(message.text());
      });
      await use(complaints);
      base.expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});
