import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

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

function fakeDoctor(): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/doctor", () => sick)
    .on("get", "/api/v1/repositories", () => ({ repositories: [], seq: 0 }))
    .on("post", "/api/v1/doctor/repair", () => doneJob("repair_installation", well));
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
