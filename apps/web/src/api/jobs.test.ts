import { beforeEach, expect, it, onTestFinished } from "vitest";

import { setPlatform } from "@/platform/current";
import { FakeApi } from "@/testing/fake-api";

import { api } from "./client";
import { done } from "./jobs";
import { live } from "./live/hub";
import type { Job, Wire } from "./types";

const running: Job = {
  id: "5f0c5f0c5f0c5f0c",
  operation: "undo_operation",
  started_at: "2026-05-04T10:00:00Z",
  state: "running",
  steps: [],
  version: 1,
};

let fake: FakeApi;

beforeEach(() => {
  fake = new FakeApi();
  setPlatform(fake.platform());
  onTestFinished(live.start());
  fake.on("post", "/api/v1/sessions/{session}/undo", () => ({ job: running }));
  fake.on("get", "/api/v1/jobs/{job}", () => ({ job: running }));
});

const undo = (onStep?: (steps: string[]) => void) =>
  done<Wire["OperationAnswer"]>(api.POST("/api/v1/sessions/{session}/undo", { params: { path: { session: "a" } } }), { onStep });

const tell = (change: Partial<Job>) => fake.send({ event: "job", data: JSON.stringify({ ...running, ...change }) });

it("gives the answer once the stream tells the end, and the steps before", async () => {
  const steps: string[][] = [];
  const answer = undo((now) => steps.push(now));
  await expect.poll(() => fake.requests("POST /api/v1/sessions/a/undo")).toHaveLength(1);
  tell({ version: 2, steps: ["looked"] });
  tell({ version: 3, steps: ["looked", "undone"], state: "succeeded", answer: { seq: 7 } });
  await expect(answer).resolves.toEqual({ seq: 7 });
  expect(steps.at(-1)).toEqual(["looked", "undone"]);
});

it("throws what the job failed with", async () => {
  const failed: Job = { ...running, version: 2, state: "failed", error: { code: "undo.nothing", message: "nothing to undo" } };
  fake.on("get", "/api/v1/jobs/{job}", () => ({ job: failed }));
  await expect(undo()).rejects.toMatchObject({ code: "undo.nothing" });
});

it("does not wait for a slow look after the stream told the end", async () => {
  fake.on("get", "/api/v1/jobs/{job}", () => new Promise(() => undefined));
  const answer = undo();
  await expect.poll(() => fake.requests(`GET /api/v1/jobs/${running.id}`), { timeout: 8_000 }).toHaveLength(1);
  tell({ version: 3, state: "succeeded", answer: { seq: 7 } });
  await expect(answer).resolves.toEqual({ seq: 7 });
});

it("keeps the newer state, and tells steps that only a look found", async () => {
  const steps: string[][] = [];
  let answerLook: (job: Job) => void = () => undefined;
  fake.on("get", "/api/v1/jobs/{job}", () => new Promise((resolve) => (answerLook = (job) => resolve({ job }))));
  const looks = (count: number) => expect.poll(() => fake.requests(`GET /api/v1/jobs/${running.id}`), { timeout: 8_000 }).toHaveLength(count);
  const answer = undo((now) => steps.push(now));
  await looks(1);
  tell({ version: 3, steps: ["looked", "moved"] });
  await expect.poll(() => steps).toEqual([["looked", "moved"]]);
  answerLook({ ...running, version: 2, steps: ["looked"] });
  await looks(2);
  expect(steps).toEqual([["looked", "moved"]]);
  answerLook({ ...running, version: 4, steps: ["looked", "moved", "undone"], state: "succeeded", answer: { seq: 7 } });
  await expect(answer).resolves.toEqual({ seq: 7 });
  expect(steps.at(-1)).toEqual(["looked", "moved", "undone"]);
});
