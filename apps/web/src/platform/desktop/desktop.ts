import { Channel, invoke } from "@tauri-apps/api/core";

import { browserStorage, writeToClipboard } from "../browser/browser";
import { StreamRefused, messageParser } from "../browser/events";
import type { FollowOptions, Order, Platform } from "../platform";

/** The page in the desktop app: the engine is in the same process, and there is one window. */
export function desktopPlatform(): Platform {
  return {
    access: { isGranted: () => true, grant: () => true, revoke: () => undefined, subscribe: () => () => undefined },
    request: (request) => fetch(request),
    followEvents,
    openExternal: (url) => void invoke("open_outside", { address: url }),
    saveFile,
    pickFolder: () => invoke<string | null>("pick_folder"),
    isEngineHere: true,
    hearOrders,
    clipboard: { write: writeToClipboard },
    storage: browserStorage(),
    // The app shows them itself, whether the window is there or not.
    notifications: { permission: () => "unsupported", ask: () => Promise.resolve("unsupported"), show: () => undefined },
    peers: {
      elect: (_name, _signal, lead) => lead(),
      channel: () => ({ post: () => undefined, subscribe: () => () => undefined }),
    },
  };
}

let streams = 0;

/** The window gives answers in one piece, so the stream comes over a channel. An empty piece is its end. */
async function followEvents(options: FollowOptions): Promise<void> {
  const id = (streams += 1);
  const parser = messageParser(options);
  const pieces = new Channel<string>();
  const ended = new Promise<void>((resolve) => {
    pieces.onmessage = (piece) => (piece === "" ? resolve() : parser.feed(piece));
    options.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const status = await invoke<number>("follow_events", { id, lastEventId: options.lastEventId, pieces });
  if (status !== 200) throw new StreamRefused(status);
  options.onOpen();
  if (!options.signal.aborted) await ended;
  void invoke("stop_following", { id });
}

async function saveFile(content: Blob, name: string): Promise<boolean> {
  return invoke<boolean>("save_file", await content.arrayBuffer(), { headers: { "file-name": encodeURIComponent(name) } });
}

function hearOrders(listener: (order: Order) => void): () => void {
  const page = new Channel<Order>();
  page.onmessage = listener;
  void invoke("hear_orders", { page });
  return () => {
    page.onmessage = () => undefined;
  };
}
