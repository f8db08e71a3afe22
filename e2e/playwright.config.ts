import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "journeys",
  outputDir: "results",
  // Each journey has servers and agents of its own; more at once only make each other slow.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: "list",
  forbidOnly: true,
  use: {
    browserName: "chromium",
    headless: true,
    viewport: { width: 1280, height: 800 },
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: process.env["ORCHESTRA_CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        // Containers have no room for Chromium's own sandbox; only pages of this machine are opened.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
