import { defineConfig } from "@playwright/test";

import journeys from "../playwright.config";

/** Pictures of every page, to be looked at: `npm run pictures` takes them, the journeys leave them out. */
export default defineConfig(journeys, {
  testDir: ".",
  outputDir: "../results/failed-pictures",
  use: { trace: "off" },
});
