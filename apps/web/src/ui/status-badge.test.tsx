import { screen } from "@testing-library/react";
import { expect, it } from "vitest";

import { renderUi } from "@/testing/render";

import { STATUS_LOOKS, STATUS_ORDER } from "./session-status";
import { StatusBadge } from "./status-badge";
import { StatusShape } from "./status-shape";

it("has a word and a shape of its own for every status", async () => {
  const { container } = renderUi(STATUS_ORDER.map((status) => <StatusBadge key={status} status={status} />));
  for (const status of STATUS_ORDER) expect(await screen.findByText(STATUS_LOOKS[status].label)).toBeVisible();
  expect(STATUS_ORDER.length).toBe(Object.keys(STATUS_LOOKS).length);
  const shapes = [...container.querySelectorAll("svg")].map((svg) => svg.innerHTML);
  expect(new Set(shapes).size).toBe(STATUS_ORDER.length);
});

it("leaves the shape to the word beside it", async () => {
  const { container } = renderUi(<StatusShape status="running" />);
  await screen.findByText((_, element) => element?.tagName === "svg");
  expect(container.querySelector("svg")).toHaveAttribute("aria-hidden");
});
