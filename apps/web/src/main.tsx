import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./app/app.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "./app/app";
import { browserPlatform } from "./platform/browser/browser";
import { setPlatform } from "./platform/current";
import type { Platform } from "./platform/platform";

/** What only the desktop app needs is not loaded by browsers. */
async function choosePlatform(): Promise<Platform> {
  if (!("__TAURI_INTERNALS__" in window)) return browserPlatform();
  const { desktopPlatform } = await import("./platform/desktop/desktop");
  return desktopPlatform();
}

setPlatform(await choosePlatform());
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
