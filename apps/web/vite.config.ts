import { fileURLToPath } from "node:url";

import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

import { pack } from "./build/pack.ts";

/** Where `npm run dev` finds a running `orchestra serve`. */
const server = process.env.ORCHESTRA_URL ?? "http://127.0.0.1:4870";

export default defineConfig({
  plugins: [react(), pack()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2022",
    // A preload helper that is written into the page would need an exception in the content policy.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    host: "127.0.0.1",
    proxy: {
      // The server answers only pages of its own origin.
      "/api": { target: server, changeOrigin: true, headers: { origin: server } },
    },
  },
  test: {
    environment: "jsdom",
    setupFiles: ["src/testing/setup.ts"],
    css: false,
    restoreMocks: true,
    testTimeout: 30_000,
    maxWorkers: 2,
  },
});
