import { MantineProvider, getDefaultZIndex } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState, useSyncExternalStore } from "react";

import { live } from "@/api/live/hub";
import { platform } from "@/platform/current";

import { colorScheme } from "./color-scheme";
import { followEvents } from "./live-cache";
import { NoToken } from "./no-token";
import { createQueryClient } from "./query-client";
import { createAppRouter } from "./router";
import { theme } from "./theme";

/** No wider than the last column of a session: beside it are fields and buttons. */
const TOAST_WIDTH = 276;

/** Messages stand below dialogs, whose buttons they must not cover. */
export function App() {
  const isGranted = useSyncExternalStore(platform().access.subscribe, platform().access.isGranted);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={colorScheme}>
      <Notifications position="bottom-right" limit={4} containerWidth={TOAST_WIDTH} zIndex={getDefaultZIndex("modal") - 1} />
      {isGranted ? <Orchestra /> : <NoToken />}
    </MantineProvider>
  );
}

/** The page of somebody who is let in. */
function Orchestra() {
  const [{ queryClient, router }] = useState(() => {
    const queryClient = createQueryClient();
    return { queryClient, router: createAppRouter(queryClient) };
  });
  useEffect(() => {
    const disconnect = followEvents(queryClient, (session) => void router.navigate({ to: "/sessions/$session", params: { session } }));
    const stop = live.start();
    return () => {
      stop();
      disconnect();
    };
  }, [queryClient, router]);
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}
