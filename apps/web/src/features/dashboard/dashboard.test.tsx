import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";

import type { Wire } from "@/api/types";
import { FakeApi } from "@/testing/fake-api";
import { aPoint } from "@/testing/fixtures";
import { renderUi } from "@/testing/render";
import { formatDay } from "@/ui/format";

import { Dashboard } from "./components/dashboard";
import { metricsHandler } from "./live";
import type { DashboardSearch } from "./model";

function fakeMetrics(point: Parameters<typeof aPoint>[0]): FakeApi {
  const today = formatDay(new Date().toISOString());
  return new FakeApi()
    .on("get", "/api/v1/repositories", () => ({ repositories: [], seq: 0 }))
    .on("get", "/api/v1/metrics", ({ query }): Wire["Metrics"] => {
      if (!query.has("by")) return { seq: 1, series: [], totals: aPoint({ key: null, micro: 1_000_000, tokens: 500, succeeded: 4 }) };
      return {
        seq: 1,
        totals: aPoint(point),
        series: [
          { by: "day", rows: [aPoint({ ...point, key: today })] },
          { by: "agent", rows: [aPoint({ ...point, key: "amp" })] },
          { by: "model", rows: [aPoint({ ...point, key: null })] },
          { by: "repository", rows: [aPoint({ ...point, key: "/home/me/project" })] },
        ],
      };
    });
}

function Page({ first = {} }: { first?: DashboardSearch }) {
  const [search, setSearch] = useState<DashboardSearch>(first);
  return <Dashboard search={search} onSearch={setSearch} />;
}

const card = (name: string) => screen.findByRole("group", { name });

it("shows sums with their trend", async () => {
  renderUi(<Page />, { api: fakeMetrics({ key: null, micro: 2_000_000, tokens: 1_000, succeeded: 3, failed: 1 }) });
  expect(await card("Total cost")).toHaveTextContent("$2.00");
  expect(await card("Success rate")).toHaveTextContent("75.0 %");
  expect(await screen.findByText("+100 %", { selector: '[aria-label="Tokens"] strong' })).toBeVisible();
  expect(await card("Success rate")).toHaveTextContent("−25 points compared with the 30 days before");
  expect(within(screen.getByRole("table", { name: "By model" })).getByText("Not told")).toBeVisible();
});

it("shows the chart as a table too", async () => {
  renderUi(<Page />, { api: fakeMetrics({ key: null, micro: 2_000_000, succeeded: 4 }) });
  expect(await screen.findByRole("img", { name: /^Cost from .*\$2\.00 in all/ })).toBeVisible();
  await userEvent.click(screen.getByRole("radio", { name: "Table" }));
  const rows = within(await screen.findByRole("table", { name: "Figures over time" })).getAllByRole("row");
  expect(rows).toHaveLength(31);
  expect(rows[1]).toHaveTextContent("$2.00");
});

it("does not take an unknown cost for nothing", async () => {
  renderUi(<Page />, { api: fakeMetrics({ key: null, tokens: 10, succeeded: 2, unknown: 2 }) });
  expect(within(await card("Total cost")).getByLabelText("Not known")).toBeVisible();
  expect(screen.getByText(/The cost of 2 iterations is not known/)).toBeVisible();
});

it("says that no agent ran", async () => {
  renderUi(<Page />, { api: fakeMetrics({ key: null }) });
  expect(await screen.findByText("No agent ran in this time")).toBeVisible();
});

it("asks for the days of the address and again when an iteration ends", async () => {
  const { api, unmount } = renderUi(<Page first={{ from: "2026-05-01", until: "2026-05-03" }} />, { api: fakeMetrics({ key: null, succeeded: 1 }), handlers: () => [metricsHandler] });
  await card("Iterations");
  const asked = api.requests("GET /api/v1/metrics").find(({ query }) => query.has("by"));
  expect(asked?.query.get("from")).toBe(new Date(2026, 4, 1).toISOString());
  expect(asked?.query.get("until")).toBe(new Date(2026, 4, 4).toISOString());
  const before = api.requests("GET /api/v1/metrics").length;
  api.tell({ type: "iteration_finished", iteration: 1, outcome: { kind: "succeeded" } }, "7py67r");
  await expect.poll(() => api.requests("GET /api/v1/metrics").length).toBeGreaterThan(before);
  unmount();
});
