/** What the page needs from whatever shows it: a browser or the desktop app. */
export type Platform = {
  /** Whether requests are let in. */
  readonly access: Access;
  /** Sends a request to the engine. Rejects only when there is no answer. */
  request: (request: Request) => Promise<Response>;
  /** Follows the event stream until it ends. Resolves at its end, rejects when it cannot be had. */
  followEvents: (options: FollowOptions) => Promise<void>;
  /** Opens an address outside of the page. */
  openExternal: (url: string) => void;
  /** Lets the user keep something as a file; false if the user chose no place for it. */
  saveFile: (content: Blob, name: string) => Promise<boolean>;
  /** Lets the user choose a folder of the engine's machine; null where only its path can be typed. */
  readonly pickFolder: (() => Promise<string | null>) | null;
  /** Whether windows that the engine opens appear before the user. */
  readonly isEngineHere: boolean;
  /** Hears what the menu, a notification or a link asks of the page. */
  hearOrders: (listener: (order: Order) => void) => () => void;
  readonly clipboard: Clipboard;
  readonly storage: Storage;
  readonly notifications: Notifications;
  readonly peers: Peers;
};

/** Something that the page is asked to do from outside. */
export type Order = { kind: "go"; path: string } | { kind: "palette" } | { kind: "shortcuts" };

/** The right to ask. The token itself is known to nobody else. */
export type Access = {
  isGranted: () => boolean;
  /** Takes a token, or an address that carries one; false if there is none in it. */
  grant: (text: string) => boolean;
  /** The token was refused. */
  revoke: () => void;
  subscribe: (listener: () => void) => () => void;
};

export type FollowOptions = {
  /** The id of the last event that was seen. */
  lastEventId: string | null;
  signal: AbortSignal;
  onOpen: () => void;
  onMessage: (message: StreamMessage) => void;
};

export type StreamMessage = { event: string; data: string };

export type Clipboard = { write: (text: string) => Promise<void> };

/** Small values that outlive the page. */
export type Storage = {
  get: (key: string) => string | null;
  set: (key: string, value: string) => void;
  remove: (key: string) => void;
};

export type NotificationPermission = "granted" | "denied" | "ask" | "unsupported";

export type Notifications = {
  permission: () => NotificationPermission;
  ask: () => Promise<NotificationPermission>;
  show: (notification: { title: string; body: string; tag: string; onClick: () => void }) => void;
};

/** Other windows of the same user that show the same engine. */
export type Peers = {
  /** Runs `lead` in one window at a time, for as long as it lasts. */
  elect: (name: string, signal: AbortSignal, lead: () => Promise<void>) => Promise<void>;
  channel: (name: string) => Channel;
};

export type Channel = {
  post: (message: unknown) => void;
  subscribe: (listener: (message: unknown) => void) => () => void;
};
