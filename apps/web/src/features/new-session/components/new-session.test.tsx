import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";

import type { Wire } from "@/api/types";
import { FakeApi, Refusal } from "@/testing/fake-api";
import { aSession } from "@/testing/fixtures";
import { renderUi } from "@/testing/render";

import { NewSession } from "./new-session";

const base: Wire["BaseBranch"] = { name: "main", commit: "4b825dc642cb6eb9", is_remote: true, behind: 3, ahead: 0 };

function fake(): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/repositories", () => ({ repositories: [], seq: 0 }))
    .on("get", "/api/v1/repository", () => ({ root: "/home/me/project", bases: [base], branches: ["topic"], default_base: "main", has_settings: false, seq: 0 }))
    .on("get", "/api/v1/agents", () => ({ agents: [] }))
    .on("get", "/api/v1/environments", () => ({ environments: [] }))
    .on("get", "/api/v1/templates", () => ({ templates: [], damaged: [], seq: 0 }))
    .on("get", "/api/v1/commands", () => ({ commands: [], seq: 0 }))
    .on("get", "/api/v1/mcp-servers", () => ({ servers: [] }))
    .on("post", "/api/v1/sessions", ({ body }) => ({ session: aSession({ name: (body as Wire["CreateSession"]).name }), warnings: [], seq: 1 }));
}

it("says how far behind the base is, and makes the session", async () => {
  const onCreated = vi.fn();
  const { api } = renderUi(<NewSession search={{ repo: "/home/me/project" }} onCreated={onCreated} />, { api: fake() });
  expect(await screen.findByText(/3 commits behind its remote/)).toBeVisible();
  await userEvent.type(screen.getByLabelText(/^Prompt/), "Fix the login form");
  await userEvent.click(screen.getByRole("button", { name: /^Create/ }));
  await waitFor(() => expect(onCreated).toHaveBeenCalledOnce());
  expect(api.requests("POST /api/v1/sessions")[0]?.body).toMatchObject({ name: "fix-login-form", run: true });
});

it("makes variants once each, also when one of them failed first", async () => {
  const onCreated = vi.fn();
  const { api } = renderUi(<NewSession search={{ repo: "/home/me/project" }} onCreated={onCreated} />, { api: fake() });
  await userEvent.type(await screen.findByLabelText(/^Prompt/), "Fix it");
  await userEvent.click(screen.getByRole("button", { name: "Add a variant" }));
  let isBusy = true;
  api.on("post", "/api/v1/sessions", ({ body }) => {
    const { name } = body as Wire["CreateSession"];
    if (name === "fix-it-2" && isBusy) throw new Refusal(409, { code: "repository.busy", message: "git is busy", hint: "try again" });
    return { session: aSession({ id: name, name }), warnings: [], seq: 1 };
  });
  await userEvent.click(screen.getByRole("button", { name: /Create 2/ }));
  expect(await screen.findByText("git is busy")).toBeVisible();
  isBusy = false;
  await userEvent.click(screen.getByRole("button", { name: /Create 2/ }));
  await waitFor(() => expect(onCreated).toHaveBeenCalledOnce());
  const names = api.requests("POST /api/v1/sessions").map(({ body }) => (body as Wire["CreateSession"]).name);
  expect(names).toEqual(["fix-it-1", "fix-it-2", "fix-it-2"]);
});

it("makes what is missing when variants were changed after one failed", async () => {
  const onCreated = vi.fn();
  const { api } = renderUi(<NewSession search={{ repo: "/home/me/project" }} onCreated={onCreated} />, { api: fake() });
  await userEvent.type(await screen.findByLabelText(/^Prompt/), "Fix it");
  await userEvent.click(screen.getByRole("button", { name: "Add a variant" }));
  let isBusy = true;
  api.on("post", "/api/v1/sessions", ({ body }) => {
    const { name } = body as Wire["CreateSession"];
    if (name === "fix-it-2" && isBusy) throw new Refusal(409, { code: "repository.busy", message: "git is busy", hint: "try again" });
    return { session: aSession({ id: name, name }), warnings: [], seq: 1 };
  });
  await userEvent.click(screen.getByRole("button", { name: /Create 2/ }));
  expect(await screen.findByText("1 session was created before it and kept.")).toBeVisible();
  isBusy = false;
  await userEvent.click(screen.getAllByRole("button", { name: "Remove this variant" })[0]!);
  await userEvent.click(screen.getByRole("button", { name: "Add a variant" }));
  await userEvent.click(screen.getByRole("button", { name: /Create 2/ }));
  await waitFor(() => expect(onCreated).toHaveBeenCalledOnce());
  expect(onCreated.mock.calls[0]?.[0]).toHaveLength(3);
  const names = api.requests("POST /api/v1/sessions").map(({ body }) => (body as Wire["CreateSession"]).name);
  expect(names).toEqual(["fix-it-1", "fix-it-2", "fix-it-2", "fix-it-3"]);
});

it("offers every isolation", async () => {
  const { api } = renderUi(<NewSession search={{ repo: "/home/me/project" }} onCreated={() => undefined} />, { api: fake() });
  await userEvent.type(await screen.findByLabelText(/^Prompt/), "Fix it");
  await userEvent.click(screen.getByRole("button", { name: "More" }));
  await userEvent.click(screen.getByRole("combobox", { name: "Isolation" }));
  await userEvent.click(await screen.findByRole("option", { name: /^sandbox/ }));
  await userEvent.click(screen.getByRole("button", { name: /^Create/ }));
  await waitFor(() => expect(api.requests("POST /api/v1/sessions")[0]?.body).toMatchObject({ isolation: "sandbox" }));
});
