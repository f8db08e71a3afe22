import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import type { Wire } from "@/api/types";
import { FakeApi, Refusal } from "@/testing/fake-api";
import { aSession, anIteration } from "@/testing/fixtures";
import { askAgain, renderUi } from "@/testing/render";

import type { DiffSearch, FileChange } from "../model";
import { ChangedFiles } from "./changed-files";
import { DiffView } from "./diff-view";

const PATCH = "diff --git a/src/a.js b/src/a.js\nindex 111..222 100644\n--- a/src/a.js\n+++ b/src/a.js\n@@ -1,3 +1,3 @@\n one\n-two\n+two words\n three\n";

function change(said: Partial<FileChange> & { path: string }): FileChange {
  return { kind: "M", insertions: 1, deletions: 1, original: null, ...said };
}

type Given = { files?: FileChange[]; staged?: FileChange[]; unstaged?: FileChange[]; patches?: Record<string, Partial<Wire["FileDiff"]>> };

function serving({ files = [], staged = [], unstaged = [], patches = {} }: Given): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/sessions/{session}/diff", ({ query }) => {
      const what = query.get("what");
      const shown = what === "staged" ? staged : what === "unstaged" ? unstaged : files;
      return { seq: 1, session: aSession(), total: shown.length, insertions: 1, deletions: 1, files: shown, next: null };
    })
    .on("get", "/api/v1/sessions/{session}/diff/file", ({ query }) => {
      const path = query.get("path") ?? "";
      const file = files.find((it) => it.path === path) ?? change({ path });
      return { seq: 1, session_id: "7py67r", file: { ...file, patch: PATCH, patch_too_large: false, ...patches[path] } };
    })
    .on("get", "/api/v1/sessions/{session}/log", () => ({ seq: 1, session: aSession(), commits: [], iterations: [], script_runs: [] }));
}

function Both({ first = {} }: { first?: DiffSearch }) {
  const [search, setSearch] = useState<DiffSearch>(first);
  return (
    <>
      <output>{JSON.stringify(search)}</output>
      <ChangedFiles session="7py67r" search={search} onSearch={setSearch} onFile={setSearch} />
      <DiffView session="7py67r" search={search} onSearch={setSearch} />
    </>
  );
}

it("says that nothing changed", async () => {
  renderUi(<Both />, { api: serving({}) });
  expect(await screen.findByText("Nothing changed")).toBeInTheDocument();
});

it("says why changes cannot be listed, and tries again", async () => {
  const api = serving({}).on("get", "/api/v1/sessions/{session}/diff", () => {
    throw new Refusal(409, { code: "worktree.missing", message: "the worktree is gone", hint: "restore it" });
  });
  renderUi(<Both />, { api });
  expect((await screen.findAllByText("the worktree is gone")).length).toBeGreaterThan(0);
  const before = api.asked.length;
  await userEvent.click(screen.getAllByRole("button", { name: "Try again" })[0]!);
  await waitFor(() => expect(api.asked.length).toBeGreaterThan(before));
});

it("shows rows in their place while it loads", async () => {
  const api = serving({}).on("get", "/api/v1/sessions/{session}/diff", () => new Promise<never>(() => undefined));
  renderUi(<Both />, { api });
  expect((await screen.findAllByRole("status", { name: "Loading" })).length).toBeGreaterThan(0);
});

it("shows the lines of the first file, with both numbers", async () => {
  renderUi(<Both />, { api: serving({ files: [change({ path: "src/a.js" })] }) });
  const region = await screen.findByRole("region", { name: "Changes in src/a.js" });
  expect(within(region).getByText("words", { exact: false })).toBeInTheDocument();
  expect(within(region).getByRole("button", { name: "Comment on line 2 as it was" })).toBeInTheDocument();
});

it("groups what is staged, not staged and untracked", async () => {
  const api = serving({
    files: [change({ path: "a.js" }), change({ path: "b.js" }), change({ path: "c.js", kind: "A" })],
    staged: [change({ path: "a.js" })],
    unstaged: [change({ path: "b.js" }), change({ path: "c.js", kind: "A" })],
  });
  renderUi(<Both />, { api });
  expect(await screen.findByRole("treeitem", { name: /^Staged/ })).toBeInTheDocument();
  expect(screen.getByRole("treeitem", { name: /^Not staged/ })).toBeInTheDocument();
  expect(screen.getByRole("treeitem", { name: /^Untracked/ })).toBeInTheDocument();
  await userEvent.click(screen.getAllByRole("treeitem", { name: /c\.js/ }).at(-1)!);
  await waitFor(() => expect(api.requests("GET /api/v1/sessions/7py67r/diff/file").some((asked) => asked.query.get("what") === "unstaged")).toBe(true));
  expect(screen.getByText(/"side":"unstaged"/)).toBeInTheDocument();
});

it.each<[string, Partial<FileChange>, Partial<Wire["FileDiff"]>, RegExp]>([
  ["binary", { insertions: null, deletions: null }, { patch: "diff --git a/x b/x\nindex 111..222 100644\nBinary files a/x and b/x differ\n" }, /A binary file changed/],
  ["too large", { insertions: 60_000 }, { patch: null, patch_too_large: true }, /too large to be shown/],
  ["renamed", { kind: "R", original: "old.js" }, { patch: `similarity index 96%\nrename from old.js\nrename to x\n${PATCH}` }, /Renamed from old\.js, 96% alike/],
  ["another mode", {}, { patch: "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n" }, /Is: executable file/],
  ["a submodule", {}, { patch: "index 111..222 160000\n@@ -1 +1 @@\n-Subproject commit 1111\n+Subproject commit 2222\n" }, /A submodule is at another commit/],
  ["no UTF-8", {}, { patch: "@@ -1 +1 @@\n-caf\uFFFD\n+cafe\n" }, /no UTF-8/],
])("tells that a file is %s", async (_name, file, patch, says) => {
  renderUi(<Both />, { api: serving({ files: [change({ path: "x", ...file })], patches: { x: patch } }) });
  expect(await screen.findByText(says)).toBeInTheDocument();
});

it("says when a file has no changes any more", async () => {
  const api = serving({ files: [change({ path: "x" })] }).on("get", "/api/v1/sessions/{session}/diff/file", () => {
    throw new Refusal(404, { code: "diff.unchanged", message: "nothing changed in a file `x`", hint: null });
  });
  renderUi(<Both />, { api });
  expect(await screen.findByText("Nothing changed in this file any more")).toBeInTheDocument();
});

it("mounts few rows of 5,000 files, and asks for one patch", async () => {
  const files = Array.from({ length: 5_000 }, (_, at) => change({ path: `src/folder-${at % 50}/file-${at}.ts` }));
  const api = serving({ files });
  renderUi(<Both />, { api });
  await screen.findByRole("tree");
  await waitFor(() => expect(screen.getAllByRole("treeitem").length).toBeGreaterThan(10));
  expect(screen.getAllByRole("treeitem").length).toBeLessThan(80);
  await screen.findByRole("region", { name: /Changes in/ });
  expect(api.requests("GET /api/v1/sessions/7py67r/diff/file").length).toBeLessThanOrEqual(2);
});

it("mounts few rows of a patch with 20,000 lines", async () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `+line ${at}`).join("\n");
  const patch = `new file mode 100644\n@@ -0,0 +1,20000 @@\n${lines}\n`;
  renderUi(<Both />, { api: serving({ files: [change({ path: "x", kind: "A" })], patches: { x: { patch } } }) });
  const region = await screen.findByRole("region", { name: "Changes in x" });
  expect(region.querySelectorAll("[data-row]").length).toBeGreaterThan(10);
  expect(region.querySelectorAll("[data-row]").length).toBeLessThan(150);
});

it("gathers comments and sends them as one follow-up", async () => {
  const api = serving({ files: [change({ path: "src/a.js" })] }).on("post", "/api/v1/sessions/{session}/iterations", () => ({
    seq: 2,
    session: aSession({ status: "running" }),
    iteration: anIteration({ number: 3, state: "running" }),
  }));
  renderUi(<Both />, { api });
  const press = async (name: string, text: string) => {
    const line = await screen.findByRole("button", { name });
    line.focus();
    await userEvent.keyboard("{Enter}");
    await userEvent.type(await screen.findByRole("textbox", { name: /Comment on line/ }), text);
    await userEvent.click(screen.getByRole("button", { name: /Add comment/ }));
  };
  await press("Comment on line 2", "Why two words?");
  await press("Comment on line 2 as it was", "Was better");
  await userEvent.click(await screen.findByRole("button", { name: "Send to the agent" }));
  await screen.findByText(/2 comments sent with iteration 3/);
  const [asked] = api.requests("POST /api/v1/sessions/7py67r/iterations");
  const { text } = asked!.body as { text: string };
  expect(text).toContain("src/a.js, line 2:\n> two words\n\nWhy two words?");
  expect(text).toContain("src/a.js, line 2, as it was before your changes:\n> two\n\nWas better");
  expect(screen.queryByRole("button", { name: "Send to the agent" })).not.toBeInTheDocument();
});

it("keeps comments that were not taken", async () => {
  const api = serving({ files: [change({ path: "src/a.js" })] }).on("post", "/api/v1/sessions/{session}/iterations", () => {
    throw new Refusal(409, { code: "session.busy", message: "the session is busy", hint: null });
  });
  renderUi(<Both />, { api });
  (await screen.findByRole("button", { name: "Comment on line 2" })).focus();
  await userEvent.keyboard("{Enter}");
  await userEvent.type(await screen.findByRole("textbox", { name: /Comment on line/ }), "Hm");
  await userEvent.click(screen.getByRole("button", { name: /Add comment/ }));
  await userEvent.click(await screen.findByRole("button", { name: "Send to the agent" }));
  expect(await screen.findByText("The comments were not sent and are kept")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: /1 comment/ })).toBeInTheDocument();
});

it("keeps a change in sight when it cannot be read again, unless it is none any more", async () => {
  const { api, cache } = renderUi(<Both />, { api: serving({ files: [change({ path: "src/a.js" })] }) });
  await screen.findByRole("region", { name: "Changes in src/a.js" });
  const fail = (status: number, code: string) => () => {
    throw new Refusal(status, { code, message: "git failed" });
  };
  api.on("get", "/api/v1/sessions/{session}/diff/file", fail(500, "git.failed"));
  await askAgain(cache);
  expect(screen.getByRole("region", { name: "Changes in src/a.js" })).toBeVisible();
  expect(screen.queryByText("git failed")).toBeNull();
  api.on("get", "/api/v1/sessions/{session}/diff/file", fail(404, "diff.unchanged"));
  await askAgain(cache);
  expect(await screen.findByText("Nothing changed in this file any more")).toBeVisible();
});

it("saves a file, and tells when it was changed underneath", async () => {
  const file = { session_id: "7py67r", path: "src/a.js", bytes: 3, is_executable: false, is_too_large: false, version: "v1", text: "one", base64: null };
  const api = serving({ files: [change({ path: "src/a.js" })] })
    .on("get", "/api/v1/sessions/{session}/file", () => file)
    .on("put", "/api/v1/sessions/{session}/file", () => {
      throw new Refusal(409, { code: "file.changed", message: "it is another by now", hint: null });
    });
  renderUi(<Both first={{ file: "src/a.js", edit: true }} />, { api });
  const field = await screen.findByRole("textbox", { name: "Content of src/a.js" });
  await userEvent.type(field, " two");
  await userEvent.click(screen.getByRole("button", { name: /Save/ }));
  expect(await screen.findByText(/changed in the worktree since you opened it/)).toBeInTheDocument();
  expect(field).toHaveValue("one two");
  api.on("put", "/api/v1/sessions/{session}/file", ({ body }) => ({ ...file, version: "v3", text: (body as { text: string }).text }));
  await userEvent.click(screen.getByRole("button", { name: "Replace it with mine" }));
  expect(await screen.findByText("src/a.js saved")).toBeInTheDocument();
});

it("opens a file again as it is by then", async () => {
  let text = "one";
  const api = serving({ files: [change({ path: "src/a.js" })] }).on("get", "/api/v1/sessions/{session}/file", () => ({
    session_id: "7py67r",
    path: "src/a.js",
    bytes: 3,
    is_executable: false,
    is_too_large: false,
    version: text,
    text,
    base64: null,
  }));
  renderUi(<Both first={{ file: "src/a.js", edit: true }} />, { api });
  expect(await screen.findByRole("textbox", { name: "Content of src/a.js" })).toHaveValue("one");
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  text = "two";
  await userEvent.click(await screen.findByRole("button", { name: /Edit/ }));
  expect(await screen.findByRole("textbox", { name: "Content of src/a.js" })).toHaveValue("two");
});

it("marks a file as viewed until it changes", async () => {
  const api = serving({ files: [change({ path: "a.js" }), change({ path: "b.js" })] });
  renderUi(<Both />, { api });
  await screen.findByRole("region", { name: "Changes in a.js" });
  await userEvent.click(screen.getByRole("checkbox", { name: "Viewed" }));
  await screen.findByRole("region", { name: "Changes in b.js" });
  expect(screen.getByLabelText("viewed")).toBeInTheDocument();
});
