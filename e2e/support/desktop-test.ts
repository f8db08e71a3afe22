import { test as base } from "@playwright/test";

import { Desktop } from "./desktop";
import { type Wishes, World } from "./world";

export { expect } from "@playwright/test";

/** A journey in the desktop app, with a world and a desktop of its own. No server runs. */
export const test = base.extend<{ wishes: Wishes; world: World; desktop: Desktop }>({
  wishes: [{}, { option: true }],
  world: async ({ wishes }, use) => {
    const world = new World(wishes);
    await use(world);
    await world.end();
  },
  desktop: async ({ world }, use, info) => {
    const desktop = new Desktop(world);
    await desktop.begin();
    await use(desktop);
    if (info.status !== info.expectedStatus) await desktop.keepPictures(info.outputPath());
    await desktop.endApp();
    world.stopAgents();
    // A runner has something to write after its agent is done.
    await desktop.until(() => desktop.isQuiet(), "every runner is gone");
    await desktop.end();
  },
});
