import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import type { Wire } from "@/api/types";
import { FakeApi, Refusal } from "@/testing/fake-api";
import { aSession } from "@/testing/fixtures";
import { askAgain, renderUi } from "@/testing/render";

import type { MatrixSearch } from "../model";
import { ConflictMatrix } from "./conflict-matrix";

const one = aSession({ id: "aaaaaa", name: "login" });
const other = aSession({ id: "bbbbbb", name: "signup" });

function pair(said: Partial<Wire["ConflictPair"]>): Wire["ConflictPair"] {
  return { session_id: "aaaaaa", other_id: null, files: [], base_is_gone: false, migrations: [], case_clashes: [], ...said };
}

function serving(matrix: Partial<Wire["ConflictMatrix"]> = {}): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/repositories", () => ({ seq: 1, repositories: [{ root: "/home/me/project", exists: true, sessions: 2, archived_sessions: 0, last_run: null }] }))
    .on("get", "/api/v1/conflicts", () => ({ seq: 1, sessions: [], pairs: [], ...matrix }));
}

function Page() {
  const [search, setSearch] = useState<MatrixSearch>({});
  return <ConflictMatrix search={search} onSearch={setSearch} />;
}

it("says that there is nothing to compare", async () => {
  renderUi(<Page />, { api: serving() });
  expect(await screen.findByText("Nothing to compare")).toBeInTheDocument();
});

it("says why sessions cannot be compared", async () => {
  const api = serving().on("get", "/api/v1/conflicts", () => {
    throw new Refusal(500, { code: "git.failed", message: "git failed", hint: null });
  });
  renderUi(<Page />, { api });
  expect(await screen.findByText("git failed")).toBeInTheDocument();
});

it("shows pairs, and the files of the one that is chosen", async () => {
  const pairs = [pair({}), pair({ session_id: "bbbbbb", files: ["src/b.js"] }), pair({ other_id: "bbbbbb", files: ["src/a.js", "src/b.js"] })];
  renderUi(<Page />, { api: serving({ sessions: [one, other], pairs }) });
  expect(await screen.findByRole("button", { name: "login and main: no conflict" })).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "signup and login: 2 conflicts" }));
  expect(await screen.findByText("src/a.js")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "signup and main: 1 conflict" }));
  expect(await screen.findByRole("link", { name: "src/b.js" })).toHaveAttribute("href", "/sessions/bbbbbb/conflicts?file=src%2Fb.js");
});

it("keeps pairs in sight when they cannot be compared again", async () => {
  const { api, cache } = renderUi(<Page />, { api: serving({ sessions: [one], pairs: [pair({})] }) });
  await screen.findByRole("button", { name: "login and main: no conflict" });
  const fail = () => {
    throw new Refusal(500, { code: "git.failed", message: "git failed" });
  };
  api.on("get", "/api/v1/conflicts", fail).on("get", "/api/v1/repositories", fail);
  await askAgain(cache);
  expect(screen.getByRole("button", { name: "login and main: no conflict" })).toBeVisible();
  expect(screen.queryByText("git failed")).toBeNull();
});
