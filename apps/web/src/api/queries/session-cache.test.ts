import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";

import { aDetail, aSession } from "@/testing/fixtures";

import { putSession } from "./session-cache";
import { sessionKeys, sessionQuery, sessionsQuery } from "./sessions";

it("puts an answer wherever it is newer than what is there", () => {
  const cache = new QueryClient();
  const before = aSession({ name: "before" });
  cache.setQueryData(sessionsQuery().queryKey, { seq: 5, sessions: [before] });
  cache.setQueryData(sessionQuery(before.id).queryKey, aDetail(before, { seq: 5 }));
  const names = () => [cache.getQueryData(sessionsQuery().queryKey)?.sessions[0]?.name, cache.getQueryData(sessionQuery(before.id).queryKey)?.session.name];
  putSession(cache, { ...before, name: "older" }, 4);
  expect(names()).toEqual(["before", "before"]);
  putSession(cache, { ...before, name: "newer" }, 6);
  expect(names()).toEqual(["newer", "newer"]);
  expect(cache.getQueryData(sessionKeys.list(true))).toBeUndefined();
});
