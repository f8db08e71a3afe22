import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import type { Wire } from "@/api/types";
import { FakeApi } from "@/testing/fake-api";
import { renderUi } from "@/testing/render";

import type { Template } from "./api";
import { Templates } from "./components/templates";
import { type TemplatesSearch, bodyOf, draftOf, isTemplateName } from "./model";

function aTemplate(said: Partial<Template> = {}): Template {
  return { name: "fix", origin: "user", file: "/home/me/.config/orchestra/templates/fix.toml", prompt: "Fix {{what}}", mcp: [], toolboxes: [], variables: [{ name: "what" }], unknown_keys: [], ...said };
}

function fakeTemplates(templates: Template[]): FakeApi {
  return new FakeApi()
    .on("get", "/api/v1/templates", () => ({ templates, damaged: [], seq: 0 }))
    .on("get", "/api/v1/agents", () => ({ agents: [] }))
    .on("get", "/api/v1/repositories", () => ({ repositories: [{ root: "/home/me/project", exists: true, sessions: 1, archived_sessions: 0 }], seq: 0 }))
    .on("get", "/api/v1/templates/{template}/text", () => ({ name: "fix", text: 'prompt = "Fix {{what}}"', seq: 0 }))
    .on("put", "/api/v1/templates/{template}", ({ params }) => {
      templates.push(aTemplate({ name: params.template ?? "" }));
      return { template: aTemplate(), seq: 1 };
    })
    .on("put", "/api/v1/templates/{template}/text", () => {
      templates.push(aTemplate());
      return { template: aTemplate(), seq: 2 };
    })
    .on("delete", "/api/v1/templates/{template}", () => {
      templates.length = 0;
      return { name: "fix", seq: 1 };
    });
}

function Page({ first = {} }: { first?: TemplatesSearch }) {
  const [search, setSearch] = useState<TemplatesSearch>(first);
  return <Templates search={search} onSearch={setSearch} />;
}

it("saves a template", async () => {
  const { api } = renderUi(<Page first={{ do: "new" }} />, { api: fakeTemplates([]) });
  await userEvent.type(await screen.findByRole("textbox", { name: /^Name/ }), "docs");
  await userEvent.click(screen.getByRole("textbox", { name: "Prompt" }));
  await userEvent.paste("Write about {{what}}");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("The template docs was saved")).toBeVisible();
  expect(api.requests("PUT /api/v1/templates/docs")[0]?.body).toMatchObject({ prompt: "Write about {{what}}", replace: false });
});

it("leads to a new session with the template", async () => {
  const { path } = renderUi(<Page />, { api: fakeTemplates([aTemplate()]) });
  await userEvent.click(await screen.findByRole("link", { name: "Use fix" }));
  await waitFor(() => expect(path()).toBe("/new?template=fix"));
});

it("deletes a template and brings it back", async () => {
  const { api } = renderUi(<Page first={{ do: "delete", template: "fix" }} />, { api: fakeTemplates([aTemplate()]) });
  await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
  expect(await screen.findByText("There is no template yet")).toBeVisible();
  await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
  expect(await screen.findByRole("link", { name: "Use fix" })).toBeVisible();
  expect(api.requests("PUT /api/v1/templates/fix/text")[0]?.body).toMatchObject({ text: 'prompt = "Fix {{what}}"' });
});

it("keeps what the form does not show", () => {
  const template = aTemplate({ mode: "deep", environment: "work", isolation: "sandbox", budget: "2.50", toolboxes: ["box"], mcp: ["web"], timeout_ms: 1_800_000, variables: [{ name: "what", default: "all" }] });
  const body: Wire["SaveTemplate"] = bodyOf({ ...draftOf(template), description: "new" }, template);
  expect(body).toMatchObject({ mode: "deep", environment: "work", isolation: "sandbox", budget: "2.50", toolboxes: ["box"], mcp: ["web"], timeout: "30m", replace: true, variables: { what: "all" }, description: "new" });
});

it("takes the names that the engine takes", () => {
  expect(["fix-it", "fix_it", "2nd"].every(isTemplateName)).toBe(true);
  expect(["Fix it", "fix.it", "-fix", ""].some(isTemplateName)).toBe(false);
});
