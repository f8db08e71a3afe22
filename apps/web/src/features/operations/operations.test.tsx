import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import type { Wire } from "@/api/types";
import { FakeApi } from "@/testing/fake-api";
import { aSession, doneJob } from "@/testing/fixtures";
import { renderUi } from "@/testing/render";

import { Operations } from "./components/operations";
import type { OperationsSearch } from "./model";

const squash: Wire["Operation"] = { id: 4, kind: "squash", state: "done", summary: "2 commits became 1", has_snapshot: true, overridden: [], started_at: "2026-05-04T10:00:00Z", finished_at: "2026-05-04T10:00:01Z" };

function fakeOperations(events: Wire["Event"][]): FakeApi {
  let operations = [squash];
  const session = aSession({ name: "login" });
  return new FakeApi()
    .on("get", "/api/v1/log", ({ query }) => ({ epoch: "e", seq: 5, events: Number(query.get("after")) > 5 ? [] : events }))
    .on("get", "/api/v1/sessions", () => ({ sessions: [session], seq: 5, total: 1, next: null }))
    .on("get", "/api/v1/sessions/{session}/operations", () => ({ operations, session, seq: 5, next_undo: operations.length === 1 ? 4 : null, next_redo: operations.length === 1 ? null : 5 }))
    .on("post", "/api/v1/sessions/{session}/undo", () => {
      const undo: Wire["Operation"] = { ...squash, id: 5, kind: "undo", summary: "the squash was taken back", undoes: 4 };
      operations = [{ ...squash, state: "undone" }, undo];
      return doneJob("undo_operation", { operation: undo, session, seq: 6 });
    });
}

const told: Wire["Event"] = { seq: 5, at: "2026-05-04T10:00:01Z", session: "7py67r", body: { type: "operation_finished", operation: 4, operation_kind: "squash", summary: "2 commits became 1" } };

function Page() {
  const [search, setSearch] = useState<OperationsSearch>({});
  return <Operations search={search} onSearch={setSearch} />;
}

it("undoes the last operation and offers to redo it", async () => {
  renderUi(<Page />, { api: fakeOperations([told]) });
  await userEvent.click(await screen.findByRole("button", { name: "Undo squash" }));
  expect(await screen.findByText("Undone")).toBeVisible();
  expect(screen.getByRole("button", { name: "Nothing to undo" })).toBeDisabled();
  expect(screen.getAllByRole("button", { name: "Redo" }).at(0)).toBeEnabled();
});

it("says that nothing was done yet", async () => {
  renderUi(<Page />, { api: fakeOperations([]) });
  expect(await screen.findByText("Nothing was done yet")).toBeVisible();
});
