import type { Notifications, NotificationPermission, Platform, Storage } from "../platform";
import { browserAccess } from "./access";
import { followEvents } from "./events";
import { browserPeers } from "./peers";

/** The page in a browser, served by `orchestra serve`. */
export function browserPlatform(): Platform {
  const storage = browserStorage();
  const access = browserAccess(storage);
  const request = async (request: Request) => {
    const token = access.token();
    if (token !== null) request.headers.set("Authorization", `Bearer ${token}`);
    const response = await fetch(request);
    // Another tab may have a newer token by now.
    if (response.status === 401 && access.token() === token) access.revoke();
    return response;
  };
  return {
    access,
    request,
    followEvents: (options) => followEvents(options, request),
    openExternal: (url) => void window.open(url, "_blank", "noopener,noreferrer"),
    saveFile,
    pickFolder: null,
    isEngineHere: ["127.0.0.1", "localhost", "[::1]"].includes(window.location.hostname),
    hearOrders: () => () => undefined,
    clipboard: { write: writeToClipboard },
    storage,
    notifications: browserNotifications(),
    peers: browserPeers(),
  };
}

/** Storage that the browser may refuse, or that may be full; then values last as long as the page. */
export function browserStorage(): Storage {
  const spare = new Map<string, string>();
  const attempt = <T>(first: () => T, otherwise: () => T): T => {
    try {
      return first();
    } catch {
      return otherwise();
    }
  };
  return {
    get: (key) => spare.get(key) ?? attempt(() => localStorage.getItem(key), () => null),
    set: (key, value) =>
      attempt(
        () => {
          localStorage.setItem(key, value);
          spare.delete(key);
        },
        () => void spare.set(key, value),
      ),
    remove: (key) => {
      spare.delete(key);
      attempt(() => localStorage.removeItem(key), () => undefined);
    },
  };
}

/** The browser asks where, or knows. */
function saveFile(content: Blob, name: string): Promise<boolean> {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return Promise.resolve(true);
}

export async function writeToClipboard(text: string): Promise<void> {
  if ("clipboard" in navigator) return navigator.clipboard.writeText(text);
  // Without TLS on another machine's address there is only the old way.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else works in such a page
  const isDone = document.execCommand("copy");
  area.remove();
  if (!isDone) throw new Error("the browser did not allow it");
}

function browserNotifications(): Notifications {
  const isThere = "Notification" in window;
  const told = (permission: globalThis.NotificationPermission): NotificationPermission =>
    permission === "default" ? "ask" : permission;
  return {
    permission: () => (isThere ? told(Notification.permission) : "unsupported"),
    ask: async () => (isThere ? told(await Notification.requestPermission()) : "unsupported"),
    show({ title, body, tag, onClick }) {
      if (!isThere || Notification.permission !== "granted") return;
      const shown = new Notification(title, { body, tag, icon: "/icon.svg" });
      shown.onclick = () => {
        window.focus();
        shown.close();
        onClick();
      };
    },
  };
}
