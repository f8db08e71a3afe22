import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";

import { platform, setPlatform } from "@/platform/current";
import { FakeApi, sessionPage } from "@/testing/fake-api";
import { aDetail, aSession } from "@/testing/fixtures";

import { App } from "./app";

let api: FakeApi;
const login = aSession({ id: "aaaaaa", name: "login" });

beforeEach(() => {
  window.history.replaceState(null, "", "/");
  api = new FakeApi()
    .on("get", "/api/v1/sessions", () => sessionPage([login]))
    .on("get", "/api/v1/sessions/{session}", () => aDetail(login))
    .on("get", "/api/v1/worktrees", () => ({ worktrees: [], seq: 0 }))
    .on("get", "/api/v1/log", () => ({ epoch: "test", seq: 0, events: [] }))
    .on("get", "/api/v1/notifications", () => ({ epoch: "test", is_wanted: true, next: 0, seq: 0, notifications: [] }));
  setPlatform(api.platform());
});

it("says that it is live", async () => {
  render(<App />);
  expect(await screen.findByText("Live")).toBeVisible();
});

it("finds a session in the palette and goes there", async () => {
  render(<App />);
  await screen.findByText("login");
  await userEvent.keyboard("{Control>}k{/Control}");
  await userEvent.keyboard("login{Enter}");
  expect(await screen.findByRole("heading", { name: "login" })).toBeVisible();
  expect(window.location.pathname).toBe("/sessions/aaaaaa");
});

it("names the window after its page", async () => {
  render(<App />);
  await screen.findByText("login");
  expect(document.title).toBe("Sessions – Amp Orchestra");
  await userEvent.click(screen.getByRole("link", { name: "login" }));
  await waitFor(() => expect(document.title).toBe("login – Amp Orchestra"));
  await userEvent.click(screen.getByRole("link", { name: "Manage" }));
  await waitFor(() => expect(document.title).toBe("Agents – Amp Orchestra"));
});

it("begins with the look of the settings, unless another was chosen here", async () => {
  api.on("get", "/api/v1/settings/values/{key}", ({ params }) => ({ key: params.key ?? "", value: "dark", origin: "default", description: "", is_used: true }));
  const scheme = () => document.documentElement.getAttribute("data-mantine-color-scheme");
  const first = render(<App />);
  await waitFor(() => expect(scheme()).toBe("dark"));
  expect(platform().storage.get("orchestra.color-scheme")).toBeNull();
  await userEvent.click(await screen.findByRole("button", { name: "Colours: Dark" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Light" }));
  expect(scheme()).toBe("light");
  first.unmount();
  render(<App />);
  await waitFor(() => expect(api.requests("GET /api/v1/settings/values/ui.theme")).toHaveLength(2));
  expect(await screen.findByRole("button", { name: "Colours: Light" })).toBeVisible();
  expect(scheme()).toBe("light");
});

it("lists the shortcuts of the page", async () => {
  render(<App />);
  await screen.findByText("login");
  await userEvent.keyboard("?");
  const sheet = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
  expect(sheet).toHaveTextContent("Next session");
  expect(sheet).toHaveTextContent("New session");
});

it("has a page for an address that there is not", async () => {
  window.history.replaceState(null, "", "/nowhere");
  render(<App />);
  expect(await screen.findByText("There is no such page")).toBeVisible();
});

it("keeps a page that fails to itself", async () => {
  api.on("get", "/api/v1/sessions/{session}", () => {
    throw new TypeError("broken");
  });
  window.history.replaceState(null, "", "/sessions/aaaaaa");
  render(<App />);
  expect(await screen.findByRole("alert")).toBeVisible();
  expect(screen.getByRole("navigation", { name: "Pages" })).toBeVisible();
});

it("asks for the token when there is none", () => {
  setPlatform({ ...api.platform(), access: { isGranted: () => false, grant: () => false, revoke: () => undefined, subscribe: () => () => undefined } });
  render(<App />);
  expect(screen.getByRole("heading", { name: "This page needs its token" })).toBeVisible();
});
