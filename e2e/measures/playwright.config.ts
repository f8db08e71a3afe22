import { defineConfig } from "@playwright/test";

import journeys from "../playwright.config";

/** Figures, not promises: `npm run measure` takes them, the journeys leave them out. */
export default defineConfig(journeys, {
  testDir: ".",
  outputDir: "../results",
  timeout: 1_200_000,
  use: { trace: "off" },
});
