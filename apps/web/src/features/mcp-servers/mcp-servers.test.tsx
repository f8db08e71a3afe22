import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { FakeApi } from "@/testing/fake-api";
import { doneJob } from "@/testing/fixtures";
import { renderUi } from "@/testing/render";

import { McpServers } from "./components/mcp-servers";

it("starts a server only when it is asked to", async () => {
  const api = new FakeApi()
    .on("get", "/api/v1/repositories", () => ({ repositories: [], seq: 0 }))
    .on("get", "/api/v1/mcp-servers", () => ({ servers: [{ name: "web", command: ["web-mcp"], is_default: true, values: [] }] }))
    .on("post", "/api/v1/mcp-servers/{server}/check", () => doneJob("check_mcp_server", { tools: [{ name: "search", description: "Searches the web" }] }));
  renderUi(<McpServers search={{ check: "*" }} onSearch={() => undefined} />, { api });
  const dialog = await screen.findByRole("dialog", { name: "Check web" });
  expect(api.requests("POST /api/v1/mcp-servers/web/check")).toHaveLength(0);
  await userEvent.click(within(dialog).getByRole("button", { name: "Check" }));
  expect(await screen.findByText("Searches the web")).toBeVisible();
});
