import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";

import type { Wire } from "@/api/types";
import { FakeApi } from "@/testing/fake-api";
import { doneJob } from "@/testing/fixtures";
import { renderUi } from "@/testing/render";

import { Doctor } from "./components/doctor";

const sick: Wire["DoctorReport"] = {
  healthy: false,
  checks: [
    { name: "git", health: "good", detail: "version 2.47.3", hint: null },
    { name: "sandbox", health: "note", detail: "Landlock is not there", hint: "use a newer kernel" },
    { name: "repository /a", health: "bad", detail: "a worktree is half made", hint: "`orchestra doctor --fix` repairs it" },
  ],
};
const well: Wire["DoctorReport"] = { healthy: true, checks: sick.checks.map((check) => (check.health === "bad" ? { ...check, health: "fixed", detail: "it was finished" } : check)) };

const trials: Wire["SandboxAnswer"] = {
  holds: false,
  refusal: "a way out is open",
  missing: [{ layer: "bubblewrap", hint: "install the package bubblewrap" }],
  tried: [
    {
      layers: ["landlock"],
      tried: 2,
      stopped: 1,
      milliseconds: 12,
      commit_failure: null,
      escapes: [
        { escape: "write outside", end: "stopped", by: "permission denied" },
        { escape: "see other processes", end: "succeeded", by: "/proc was listed" },
      ],
    },
  ],
};

function fakeDoctor(): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/doctor", () => sick)
    .on("get", "/api/v1/repositories", () => ({ repositories: [], seq: 0 }))
    .on("post", "/api/v1/doctor/repair", () => doneJob("repair_installation", well))
    .on("post", "/api/v1/sandbox/check", () => doneJob("check_sandbox", trials));
}

it("shows what is wrong first, and the sandbox by itself", async () => {
  renderUi(<Doctor search={{}} onSearch={() => undefined} />, { api: fakeDoctor() });
  expect(await screen.findByText("Something is wrong")).toBeVisible();
  const rows = within(screen.getByRole("table", { name: "Checks" })).getAllByRole("row");
  expect(rows[1]).toHaveTextContent("a worktree is half made");
  expect(within(screen.getByRole("table", { name: "Sandbox" })).getByText("Landlock is not there")).toBeVisible();
});

it("repairs and says how much", async () => {
  renderUi(<Doctor search={{}} onSearch={() => undefined} />, { api: fakeDoctor() });
  await userEvent.click(await screen.findByRole("button", { name: "Repair" }));
  expect(await screen.findByText("1 repaired")).toBeVisible();
  expect(screen.getByText("Everything is well")).toBeVisible();
});

it("repairs nothing only because of an address", async () => {
  const onSearch = vi.fn();
  const { api } = renderUi(<Doctor search={{ repair: true }} onSearch={onSearch} />, { api: fakeDoctor() });
  const dialog = await screen.findByRole("dialog", { name: "Repair the installation" });
  await screen.findByText("Something is wrong");
  expect(api.requests("POST /api/v1/doctor/repair")).toHaveLength(0);
  await userEvent.click(within(dialog).getByRole("button", { name: "Repair" }));
  expect(await screen.findByText("1 repaired")).toBeVisible();
  expect(onSearch).toHaveBeenCalledWith({});
});

it("tries the sandbox when it is asked to and says which ways out are open", async () => {
  const { api } = renderUi(<Doctor search={{ sandbox: true }} onSearch={() => undefined} />, { api: fakeDoctor() });
  const dialog = await screen.findByRole("dialog", { name: "Try the sandbox" });
  await screen.findByText("Something is wrong");
  expect(api.requests("POST /api/v1/sandbox/check")).toHaveLength(0);
  await userEvent.click(within(dialog).getByRole("button", { name: "Try it" }));
  expect(await screen.findByText("It does not hold")).toBeVisible();
  expect(screen.getByText("install the package bubblewrap")).toBeVisible();
  expect(screen.getByRole("row", { name: /see other processes/ })).toHaveTextContent("Got out");
});
