import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";

import { FakeApi, Refusal } from "@/testing/fake-api";
import { renderUi } from "@/testing/render";

import type { Setting } from "./api";
import { Settings } from "./components/settings";
import { type SettingsSearch, originOf, readSettingsSearch, shapeOf } from "./model";

const FILE = "/home/me/.config/orchestra/config.toml";

function aSetting(said: Partial<Setting>): Setting {
  return { key: "core.max_concurrent_sessions", value: "8", origin: "default", description: "agents that run at once", is_used: true, ...said };
}

function fakeSettings(settings: Setting[]): FakeApi {
  const found = (key: string | undefined) => settings.findIndex((setting) => setting.key === key);
  return new FakeApi()
    .on("get", "/api/v1/settings", () => ({ settings, warnings: [] }))
    .on("get", "/api/v1/settings/files", () => ({ user: FILE, repository: null }))
    .on("get", "/api/v1/settings/schema", () => ({ properties: { git: { properties: { human_changes: { enum: ["commit", "keep"], default: "commit" } } } } }))
    .on("get", "/api/v1/repositories", () => ({ repositories: [], seq: 0 }))
    .on("put", "/api/v1/settings/values/{key}", ({ params, body }) => {
      const { value } = body as { value: string };
      if (value === "bad") throw new Refusal(400, { code: "config.invalid", message: "`core.max_concurrent_sessions` must be a number", hint: null });
      const setting = aSetting({ ...settings[found(params.key)], value, origin: `user file ${FILE}` });
      settings[found(params.key)] = setting;
      return { setting, warnings: [], was_changed: true, former: null };
    })
    .on("delete", "/api/v1/settings/values/{key}", ({ params }) => {
      const setting = aSetting({ ...settings[found(params.key)], value: "8", origin: "default" });
      settings[found(params.key)] = setting;
      return { setting, warnings: [], was_changed: true, former: null };
    });
}

function Page({ first = {} }: { first?: SettingsSearch }) {
  const [search, setSearch] = useState<SettingsSearch>(first);
  return <Settings search={search} onSearch={setSearch} />;
}

const row = (key: string) => screen.findByRole("group", { name: key });

describe("settings", () => {
  it("shows each value with its origin, and finds by words", async () => {
    renderUi(<Page />, { api: fakeSettings([aSetting({}), aSetting({ key: "git.commit_prefix", value: "amp:", origin: `user file ${FILE}`, description: "start of the subject" })]) });
    expect(within(await row("core.max_concurrent_sessions")).getByText("Default")).toBeVisible();
    expect(within(await row("git.commit_prefix")).getByText("Your file")).toBeVisible();
    await userEvent.type(screen.getByRole("textbox", { name: "Search settings" }), "subject");
    expect(screen.queryByRole("group", { name: "core.max_concurrent_sessions" })).toBeNull();
  });

  it("changes a value, shows the new origin, and takes it back", async () => {
    const { api } = renderUi(<Page />, { api: fakeSettings([aSetting({})]) });
    await userEvent.click(await screen.findByRole("button", { name: "Change core.max_concurrent_sessions" }));
    const value = await screen.findByRole("textbox", { name: "Value" });
    await userEvent.clear(value);
    await userEvent.type(value, "4");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(async () => expect(within(await row("core.max_concurrent_sessions")).getByText("Your file")).toBeVisible());
    expect(api.requests("PUT /api/v1/settings/values/core.max_concurrent_sessions")[0]?.body).toEqual({ value: "4" });
    await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(async () => expect(within(await row("core.max_concurrent_sessions")).getByText("Default")).toBeVisible());
    expect(api.requests("DELETE /api/v1/settings/values/core.max_concurrent_sessions")).toHaveLength(1);
  });

  it("keeps what was typed when the value is refused", async () => {
    renderUi(<Page first={{ edit: "core.max_concurrent_sessions" }} />, { api: fakeSettings([aSetting({})]) });
    const value = await screen.findByRole("textbox", { name: "Value" });
    await userEvent.clear(value);
    await userEvent.type(value, "bad");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText(/must be a number/)).toBeVisible();
    expect(value).toHaveValue("bad");
  });

  it("says that the server does not answer", async () => {
    const api = fakeSettings([]);
    api.isReachable = false;
    renderUi(<Page />, { api });
    expect(await screen.findByText("Settings cannot be read")).toBeVisible();
    expect(screen.getByRole("button", { name: "Try again" })).toBeVisible();
  });
});

it("reads origins and the address", () => {
  expect(originOf({ origin: "default" })).toEqual({ kind: "default", place: null });
  expect(originOf({ origin: "repository file /a/b.toml" })).toEqual({ kind: "repository", place: "/a/b.toml" });
  expect(originOf({ origin: "environment variable ORCHESTRA_X" })).toEqual({ kind: "environment", place: "ORCHESTRA_X" });
  expect(originOf({ origin: "command line" }).kind).toBe("other");
  expect(readSettingsSearch({ changed: "true", text: "", edit: 5 })).toEqual({ repo: undefined, text: undefined, changed: true, edit: "5" });
});

it("knows what can be chosen from the schema", () => {
  const schema = {
    properties: {
      git: { properties: { human_changes: { enum: ["commit", "keep"], default: "commit" }, auto: { type: "boolean", default: false } } },
      agents: { patternProperties: { "^[a-z]+$": { properties: { env: { type: "array" } } } } },
    },
  };
  expect(shapeOf(schema, "git.human_changes")).toEqual({ choices: ["commit", "keep"], standard: "commit", isList: false });
  expect(shapeOf(schema, "git.auto").choices).toEqual(["true", "false"]);
  expect(shapeOf(schema, "agents.amp.env").isList).toBe(true);
  expect(shapeOf(undefined, "git.auto")).toEqual({ choices: null, standard: null, isList: false });
});
