import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider, createMemoryHistory, createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { act, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { onTestFinished } from "vitest";

import { pause } from "@/api/client";
import { type LiveHandler, connectCache } from "@/api/live/handlers";
import { live } from "@/api/live/hub";
import { setPlatform } from "@/platform/current";

import { FakeApi } from "./fake-api";

type Options = {
  api?: FakeApi;
  /** The handlers of the feature; with them the event stream is followed too. */
  handlers?: (cache: QueryClient) => readonly LiveHandler[];
};

/**
 * Renders a part of the page with everything it needs. Links lead to pages that are empty; `path()` says where the user
 * got to.
 */
export function renderUi(ui: ReactNode, { api = new FakeApi(), handlers }: Options = {}) {
  setPlatform(api.platform());
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } });
  const stop = handlers ? [connectCache(cache, handlers(cache)), live.start()] : [];
  const root = createRootRoute();
  const here = createRoute({ getParentRoute: () => root, path: "/", component: () => ui });
  const elsewhere = createRoute({ getParentRoute: () => root, path: "$", component: () => null });
  const history = createMemoryHistory({ initialEntries: ["/"] });
  const router = createRouter({ routeTree: root.addChildren([here, elsewhere]), history });
  const shown = render(
    <MantineProvider env="test">
      <Notifications />
      <QueryClientProvider client={cache}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  onTestFinished(() => {
    for (const end of stop) end();
  });
  return { ...shown, api, cache, path: () => history.location.href };
}

/** Asks for everything again, and waits until what came of it is shown. */
export async function askAgain(cache: QueryClient): Promise<void> {
  await act(async () => {
    await cache.invalidateQueries();
    // The cache tells of it one turn later.
    await pause(0);
  });
}
