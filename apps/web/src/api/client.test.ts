import { beforeEach, expect, it } from "vitest";

import { setPlatform } from "@/platform/current";
import { FakeApi, Refusal, sessionPage } from "@/testing/fake-api";
import { aSession } from "@/testing/fixtures";

import { answered, api } from "./client";
import { ApiError } from "./error";

let fake: FakeApi;

beforeEach(() => {
  fake = new FakeApi();
  setPlatform(fake.platform());
});

const stop = () => answered(api.POST("/api/v1/sessions/{session}/stop", { params: { path: { session: "a" } }, body: {} }));

it("gives what was answered", async () => {
  fake.on("get", "/api/v1/sessions", () => sessionPage([aSession({ id: "aaaaaa" })]));
  const page = await answered(api.GET("/api/v1/sessions"));
  expect(page.sessions[0]?.id).toBe("aaaaaa");
});

it("throws what the server says about a failure", async () => {
  fake.on("post", "/api/v1/sessions/{session}/stop", () => {
    throw new Refusal(409, { code: "session.idle", message: "nothing runs", hint: "start it" });
  });
  const error = await stop().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: "session.idle", message: "nothing runs", hint: "start it", status: 409 });
});

it("sends a write again with the same key when no answer came", async () => {
  const keys: (string | null)[] = [];
  const platform = fake.platform();
  fake.on("post", "/api/v1/sessions/{session}/stop", () => ({ session: aSession(), seq: 1 }));
  setPlatform({
    ...platform,
    request: (request) => {
      keys.push(request.headers.get("Idempotency-Key"));
      return keys.length === 1 ? Promise.reject(new TypeError("lost")) : platform.request(request);
    },
  });
  await stop();
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
});

it("says that the server does not answer", async () => {
  fake.isReachable = false;
  await expect(answered(api.GET("/api/v1/sessions"))).rejects.toMatchObject({ code: "client.unreachable", status: 0 });
});
