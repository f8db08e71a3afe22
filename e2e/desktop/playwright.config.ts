import { defineConfig } from "@playwright/test";

/** Journeys in the desktop app. Each has a screen, a bus and a data folder of its own. */
export default defineConfig({
  testDir: ".",
  outputDir: "../results/desktop",
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: "list",
  forbidOnly: true,
});
