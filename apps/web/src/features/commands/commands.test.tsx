import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import { FakeApi } from "@/testing/fake-api";
import { renderUi } from "@/testing/render";

import { RepositoryCommands } from "./components/repository-commands";
import type { CommandsSearch } from "./model";

function fakeCommands(permission: string): FakeApi {
  let now = permission;
  return new FakeApi()
    .on("get", "/api/v1/repositories", () => ({ repositories: [{ root: "/home/me/project", exists: true, sessions: 1, archived_sessions: 0 }], seq: 0 }))
    .on("get", "/api/v1/commands", () => ({ commands: [{ setting: "scripts.test", command: "npm test", permission: now }], seq: 0 }))
    .on("post", "/api/v1/commands/allow", () => {
      now = "allowed";
      return { done: "allowed", settings: ["scripts.test"], problems: [], seq: 1 };
    })
    .on("post", "/api/v1/commands/forget", () => {
      now = "not_allowed";
      return { done: "forgotten", settings: ["scripts.test"], problems: [], seq: 2 };
    });
}

function Page() {
  const [search, setSearch] = useState<CommandsSearch>({});
  return <RepositoryCommands search={search} onSearch={setSearch} />;
}

it("shows what would run before it is allowed, and takes it back", async () => {
  const { api } = renderUi(<Page />, { api: fakeCommands("not_allowed") });
  await userEvent.click(await screen.findByRole("button", { name: "Allow 1 command" }));
  expect(await screen.findByText("scripts.test: npm test")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Allow" }));
  expect(await screen.findByText("Allowed")).toBeVisible();
  expect(api.requests("POST /api/v1/commands/allow")[0]?.body).toEqual({ repository: "/home/me/project", settings: ["scripts.test"] });
  await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
  expect(await screen.findByText("Not allowed")).toBeVisible();
});
