import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

import { platform } from "@/platform/current";
import type { Order } from "@/platform/platform";

type Props = { onPalette: () => void; onShortcuts: () => void };

/** Does what the menu, a notification or a link asks for. */
export function useOrders({ onPalette, onShortcuts }: Props): void {
  const router = useRouter();
  useEffect(
    () =>
      platform().hearOrders((order: Order) => {
        switch (order.kind) {
          case "go":
            router.history.push(order.path);
            break;
          case "palette":
            onPalette();
            break;
          case "shortcuts":
            onShortcuts();
        }
      }),
    [router, onPalette, onShortcuts],
  );
}
