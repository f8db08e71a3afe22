import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./app/app.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "./app/app";
import { browserPlatform } from "./platform/browser/browser";
import { setPlatform } from "./platform/current";

setPlatform(browserPlatform());
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
