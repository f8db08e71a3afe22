import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import { FakeApi, Refusal } from "@/testing/fake-api";
import { aSession } from "@/testing/fixtures";
import { renderUi } from "@/testing/render";

import type { TrashRow } from "./api";
import { Trash } from "./components/trash";
import { trashHandler } from "./live";
import type { TrashSearch } from "./model";

function aRow(said: Partial<TrashRow> = {}): TrashRow {
  return {
    name: "7py67r-1",
    session_id: "7py67r",
    session_name: "login",
    branch: "amp/login",
    path: "/home/me/project/.worktrees/7py67r",
    repo_root: "/home/me/project",
    bytes: 20_500,
    is_whole: true,
    trashed_at: "2026-05-04T10:00:00Z",
    kept_until: "2026-05-18T10:00:00Z",
    why: "cleaned up",
    ...said,
  };
}

function fakeTrash(rows: TrashRow[]): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/trash", () => ({ trash: rows, damaged: [], seq: 0 }))
    .on("get", "/api/v1/repositories", () => ({ repositories: [], seq: 0 }))
    .on("post", "/api/v1/trash/restore", () => {
      rows.length = 0;
      return { session: aSession(), path: "/home/me/project/.worktrees/7py67r", branches: [], seq: 3 };
    });
}

function Page({ first = {} }: { first?: TrashSearch }) {
  const [search, setSearch] = useState<TrashSearch>(first);
  return <Trash search={search} onSearch={setSearch} />;
}

it("says what the trash is for when it is empty", async () => {
  renderUi(<Page />, { api: fakeTrash([]) });
  expect(await screen.findByText("The trash is empty")).toBeVisible();
  expect(screen.getByRole("button", { name: "Empty the trash" })).toBeDisabled();
});

it("restores a worktree and takes it off the list", async () => {
  const { api } = renderUi(<Page />, { api: fakeTrash([aRow()]) });
  await userEvent.click(await screen.findByRole("button", { name: "Restore login" }));
  expect(await screen.findByText("login is back")).toBeVisible();
  expect(await screen.findByText("The trash is empty")).toBeVisible();
  expect(api.requests("POST /api/v1/trash/restore")[0]?.body).toEqual({ what: "7py67r-1" });
});

it("says why something cannot come back", async () => {
  const api = fakeTrash([aRow()]).on("post", "/api/v1/trash/restore", () => {
    throw new Refusal(409, { code: "trash.taken", message: "something else is there now", hint: "move it away" });
  });
  renderUi(<Page />, { api });
  await userEvent.click(await screen.findByRole("button", { name: "Restore login" }));
  expect(await screen.findByText("something else is there now. move it away")).toBeVisible();
});

it("asks before it deletes for good, and says what it keeps", async () => {
  renderUi(<Page first={{ do: "empty" }} />, { api: fakeTrash([aRow()]) });
  expect(await screen.findByText("This cannot be undone.")).toBeVisible();
  expect(screen.getByText("Branches and their commits")).toBeVisible();
  expect(await screen.findByText(/Deletes 1 worktree for good: login/)).toBeVisible();
});

it("offers to delete only what is known to be there", async () => {
  const api = fakeTrash([]);
  let answer: () => void = () => undefined;
  const known = new Promise<void>((resolve) => (answer = resolve));
  api.on("get", "/api/v1/trash", () => known.then(() => ({ trash: [], damaged: [], seq: 0 })));
  renderUi(<Page first={{ do: "empty" }} />, { api });
  await screen.findByRole("heading", { name: "Trash" });
  expect(screen.queryByRole("button", { name: "Delete for good" })).toBeNull();
  answer();
  expect(await screen.findByRole("button", { name: "Delete for good" })).toBeDisabled();
});

it("finds out when a session is cleaned up elsewhere", async () => {
  const rows: TrashRow[] = [];
  const { api, unmount } = renderUi(<Page />, { api: fakeTrash(rows), handlers: () => [trashHandler] });
  await screen.findByText("The trash is empty");
  rows.push(aRow());
  api.tell({ type: "operation_finished", operation: 1, operation_kind: "cleanup", summary: "cleaned up" }, "7py67r");
  expect(await screen.findByRole("button", { name: "Restore login" })).toBeVisible();
  unmount();
});
