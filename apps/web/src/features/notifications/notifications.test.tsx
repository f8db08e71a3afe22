import { screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

import type { Wire } from "@/api/types";
import { FakeApi } from "@/testing/fake-api";
import { renderUi } from "@/testing/render";

import { Bell } from "./components/bell";
import { notificationHandler } from "./live";

const notice: Wire["Notification"] = { event: 1, at: "2026-05-04T10:00:00Z", kind: "iteration_finished", title: "login is done", body: "The form works", session_id: "7py67r", is_claimed: false };

function fakeNotices(): FakeApi {
  const told = { isTold: false };
  const api: FakeApi = new FakeApi();
  api
    .on("get", "/api/v1/log", () => ({ epoch: "test", seq: 0, events: [] }))
    .on("get", "/api/v1/notifications", () => ({ epoch: "test", seq: 1, next: 1, is_wanted: true, notifications: told.isTold ? [notice] : [] }))
    .on("post", "/api/v1/notifications/{event}/claim", () => ({ claimed: api.requests("POST /api/v1/notifications/1/claim").length === 1, notification: notice }));
  const tell = api.tell.bind(api);
  api.tell = (body, session) => {
    told.isTold = true;
    tell(body, session);
  };
  return api;
}

const ended: Wire["EventBody"] = { type: "iteration_finished", iteration: 1, outcome: { kind: "succeeded" } };
const opened = vi.fn<(session: string) => void>();
const shown = (api: FakeApi) => renderUi(<Bell />, { api, handlers: (cache) => [notificationHandler(cache, opened)] });

beforeEach(() => opened.mockClear());

it("tells in the page while somebody looks at it, and leads there", async () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  const { api, unmount } = shown(fakeNotices());
  await screen.findByRole("button", { name: "Notifications" });
  api.tell(ended, "7py67r");
  expect(await screen.findByText("login is done")).toBeVisible();
  expect(api.shown).toEqual([]);
  (await screen.findByRole("button", { name: "Open" })).click();
  expect(opened).toHaveBeenCalledWith("7py67r");
  expect(await screen.findByRole("button", { name: "Notifications: 1 new" })).toBeVisible();
  unmount();
});

it("lets the browser show it when nobody looks, once", async () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(false);
  const api = fakeNotices();
  api.permission = "granted";
  const { unmount } = shown(api);
  await screen.findByRole("button", { name: "Notifications" });
  api.tell(ended, "7py67r");
  await expect.poll(() => api.shown, { timeout: 5_000 }).toEqual([{ title: "login is done", body: "The form works" }]);
  api.tell(ended, "7py67r");
  await expect.poll(() => api.requests("POST /api/v1/notifications/1/claim").length, { timeout: 5_000 }).toBe(2);
  expect(api.shown).toHaveLength(1);
  unmount();
});

it("asks for permission only on a click", async () => {
  const api = fakeNotices();
  const ask = vi.fn(() => Promise.resolve("granted" as const));
  const platform = api.platform();
  vi.spyOn(api, "platform").mockReturnValue({ ...platform, notifications: { ...platform.notifications, ask } });
  const { unmount } = shown(api);
  (await screen.findByRole("button", { name: "Notifications" })).click();
  const button = await screen.findByRole("button", { name: "Show them in the browser" });
  expect(ask).not.toHaveBeenCalled();
  button.click();
  expect(await screen.findByText("The browser shows them too")).toBeVisible();
  expect(ask).toHaveBeenCalledTimes(1);
  unmount();
});
