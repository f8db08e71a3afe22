import { expect, it } from "vitest";

import { setPlatform } from "@/platform/current";
import { FakeApi, Refusal } from "@/testing/fake-api";
import { aSession, doneJob } from "@/testing/fixtures";

import { landAll } from "./bulk";

it("keeps what landed in one repository when another one refuses", async () => {
  const api = new FakeApi().on("post", "/api/v1/land", ({ body }) => {
    const { sessions } = body as { sessions: string[] };
    if (sessions.includes("bbbbbb")) throw new Refusal(409, { code: "repository.busy", message: "git is busy", hint: "try again" });
    return doneJob("land_sessions", { complete: true, seq: 1, sessions: sessions.map((id) => ({ session_id: id, session_name: id, state: "landed" })) });
  });
  setPlatform(api.platform());
  const sessions = [aSession({ id: "aaaaaa", repo_root: "/a" }), aSession({ id: "bbbbbb", name: "second", repo_root: "/b" }), aSession({ id: "cccccc", repo_root: "/c" })];
  const rows = await landAll(sessions, () => undefined);
  expect(rows.map((row) => [row.session_id, row.state])).toEqual([
    ["aaaaaa", "landed"],
    ["bbbbbb", "failed"],
    ["cccccc", "landed"],
  ]);
  expect(rows[1]).toMatchObject({ session_name: "second", error: { message: "git is busy", hint: "try again" } });
});
