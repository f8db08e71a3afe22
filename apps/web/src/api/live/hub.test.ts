import { beforeEach, expect, it, onTestFinished, vi } from "vitest";

import { setPlatform } from "@/platform/current";
import type { Channel, Platform } from "@/platform/platform";
import { FakeApi } from "@/testing/fake-api";

import { LiveHub } from "./hub";
import type { LiveMessage } from "./message";

let fake: FakeApi;

/** Tabs that hear each other; one leads at a time. */
function tabs() {
  const listeners = new Set<{ owner: object; hear: (message: unknown) => void }>();
  let line = Promise.resolve();
  return (): Platform["peers"] => {
    const owner = {};
    return {
      elect: (_name, signal, lead) => {
        line = line.then(() => (signal.aborted ? undefined : lead()));
        return line;
      },
      channel: (): Channel => ({
        post: (message) => {
          for (const other of listeners) if (other.owner !== owner) other.hear(structuredClone(message));
        },
        subscribe: (hear) => {
          const entry = { owner, hear };
          listeners.add(entry);
          return () => void listeners.delete(entry);
        },
      }),
    };
  };
}

function open(peers: Platform["peers"]) {
  setPlatform({ ...fake.platform(), peers });
  const hub = new LiveHub();
  const heard: LiveMessage[] = [];
  hub.listen((messages) => heard.push(...messages));
  const stop = hub.start();
  onTestFinished(stop);
  const events = () => heard.flatMap((message) => (message.kind === "event" ? [message.event.seq] : []));
  return { hub, heard, events, stop };
}

beforeEach(() => {
  fake = new FakeApi();
});

it("tells what the stream tells, in order", async () => {
  const { hub, heard, events } = open(tabs()());
  await vi.waitFor(() => expect(hub.phase).toBe("live"));
  fake.tell({ type: "session_created", name: "one" }, "a");
  fake.tell({ type: "session_created", name: "two" }, "b");
  fake.send({ event: "facts", data: JSON.stringify({ session_ids: ["a"] }) });
  await vi.waitFor(() => expect(heard).toHaveLength(4));
  expect(heard.map((message) => message.kind)).toEqual(["begin", "event", "event", "facts"]);
  expect(events()).toEqual([1, 2]);
  expect(hub.phase).toBe("live");
});

it("passes over what it cannot read", async () => {
  const { hub, heard } = open(tabs()());
  await vi.waitFor(() => expect(hub.phase).toBe("live"));
  fake.send({ event: "iteration_started", data: "{ half" });
  fake.send({ event: "news_of_another_version", data: "{}" });
  fake.tell({ type: "session_created", name: "one" }, "a");
  await vi.waitFor(() => expect(heard.map((message) => message.kind)).toEqual(["begin", "event"]));
});

it("holds one connection for all tabs, and the next tab goes on from where it was", async () => {
  const peers = tabs();
  const follow = vi.fn();
  const first = open(peers());
  const second = open(peers());
  await vi.waitFor(() => expect(second.hub.phase).toBe("live"));
  expect(first.hub.isLeader).toBe(true);
  expect(second.hub.isLeader).toBe(false);
  fake.tell({ type: "session_created", name: "one" }, "a");
  await vi.waitFor(() => expect(second.events()).toEqual([1]));

  setPlatform({ ...fake.platform(), peers: peers(), followEvents: follow.mockReturnValue(new Promise(() => undefined)) });
  first.stop();
  await vi.waitFor(() => expect(second.hub.isLeader).toBe(true));
  expect(follow).toHaveBeenCalledWith(expect.objectContaining({ lastEventId: "test-1" }));
});

it("reads from the log what a sleeping tab missed", async () => {
  const peers = tabs();
  open(peers());
  const second = open(peers());
  await vi.waitFor(() => expect(second.hub.phase).toBe("live"));
  const missed = { seq: 1, at: "2026-05-04T10:00:00Z", session: "a", body: { type: "session_created" as const, name: "one" } };
  fake.on("get", "/api/v1/log", () => ({ epoch: "test", seq: 1, events: [missed] }));
  const late = { ...missed, seq: 2 };
  peers().channel("orchestra.events").post({ kind: "told", messages: [{ kind: "event", event: late }], epoch: "test" });
  await vi.waitFor(() => expect(second.events()).toEqual([1, 2]));
});

it("begins again in every tab when the log is another one", async () => {
  const peers = tabs();
  open(peers());
  const second = open(peers());
  await vi.waitFor(() => expect(second.hub.phase).toBe("live"));
  fake.tell({ type: "session_created", name: "one" }, "a");
  fake.tell({ type: "session_created", name: "two" }, "b");
  await vi.waitFor(() => expect(second.events()).toEqual([1, 2]));
  fake.send({ event: "begin", data: JSON.stringify({ epoch: "another", seq: 0, is_reset: true }) });
  const anew = { seq: 1, at: "2026-05-04T10:00:00Z", session: "c", body: { type: "session_created", name: "three" } };
  fake.send({ event: "session_created", data: JSON.stringify(anew) });
  await vi.waitFor(() => expect(second.events()).toEqual([1, 2, 1]));
  expect(second.heard.map((message) => message.kind)).toContain("reset");
});

it("begins again when it slept while the log became another one", async () => {
  const peers = tabs();
  open(peers());
  const second = open(peers());
  await vi.waitFor(() => expect(second.hub.phase).toBe("live"));
  fake.tell({ type: "session_created", name: "one" }, "a");
  fake.tell({ type: "session_created", name: "two" }, "b");
  await vi.waitFor(() => expect(second.events()).toEqual([1, 2]));
  const anew = { seq: 2, at: "2026-05-04T10:00:00Z", session: "c", body: { type: "session_created" as const, name: "three" } };
  peers().channel("orchestra.events").post({ kind: "told", messages: [{ kind: "event", event: anew }], epoch: "another" });
  await vi.waitFor(() => expect(second.events()).toEqual([1, 2, 2]));
  expect(second.heard.at(-2)?.kind).toBe("reset");
});

it("comes back after the server was gone", async () => {
  fake.isReachable = false;
  const { hub } = open(tabs()());
  await vi.waitFor(() => expect(hub.phase).toBe("offline"), { timeout: 8_000 });
  fake.isReachable = true;
  window.dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(hub.phase).toBe("live"), { timeout: 8_000 });
});
