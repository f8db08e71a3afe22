import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, it } from "vitest";

import type { Order, StreamMessage } from "../platform";
import { desktopPlatform } from "./desktop";

type Asked = { command: string; words: Record<string, unknown> };
type Pieces = { onmessage: (piece: string) => void };

/** A shell that notes what it is asked. */
function shell(answer: (asked: Asked) => unknown): Asked[] {
  const asked: Asked[] = [];
  mockIPC((command, words) => {
    const question = { command, words: (words ?? {}) as Record<string, unknown> };
    asked.push(question);
    return answer(question);
  });
  return asked;
}

afterEach(clearMocks);

it("follows the stream over a channel until it ends", async () => {
  const asked = shell(({ command, words }) => {
    if (command !== "follow_events") return null;
    const { onmessage } = words.pieces as Pieces;
    setTimeout(() => {
      onmessage("event: begin\ndata: {}\n\nevent: jo");
      onmessage("b\ndata: 1\n\n");
      onmessage("");
    });
    return 200;
  });
  const messages: StreamMessage[] = [];
  let opened = 0;
  await desktopPlatform().followEvents({ lastEventId: "a-7", signal: new AbortController().signal, onOpen: () => (opened += 1), onMessage: (message) => messages.push(message) });
  expect(messages).toEqual([
    { event: "begin", data: "{}" },
    { event: "job", data: "1" },
  ]);
  expect(opened).toBe(1);
  expect(asked[0]?.words.lastEventId).toBe("a-7");
});

it("stops following when nobody listens any more, and says when it was refused", async () => {
  const asked = shell(({ command, words }) => (command === "follow_events" ? (words.lastEventId === "bad" ? 400 : 200) : null));
  const ending = new AbortController();
  const follow = (lastEventId: string | null) => desktopPlatform().followEvents({ lastEventId, signal: ending.signal, onOpen: () => ending.abort(), onMessage: () => undefined });
  await expect(follow("bad")).rejects.toThrow("400");
  await follow(null);
  const following = asked.filter(({ command }) => command === "follow_events").at(-1);
  expect(asked.at(-1)).toEqual({ command: "stop_following", words: { id: following?.words.id } });
});

it("hears orders, picks folders and opens addresses outside", async () => {
  const asked = shell(({ command, words }) => {
    if (command === "hear_orders") (words.page as { onmessage: (order: Order) => void }).onmessage({ kind: "go", path: "/new" });
    return command === "pick_folder" ? "/home/me/project" : null;
  });
  const platform = desktopPlatform();
  const orders: Order[] = [];
  platform.hearOrders((order) => orders.push(order));
  expect(orders).toEqual([{ kind: "go", path: "/new" }]);
  expect(await platform.pickFolder?.()).toBe("/home/me/project");
  platform.openExternal("http://login.localhost:4100/");
  expect(asked.at(-1)).toEqual({ command: "open_outside", words: { address: "http://login.localhost:4100/" } });
});
