/** A server for component tests: the same addresses and the same wire types, answers from the test. */
import type { Paths, Wire } from "@/api/types";
import type { NotificationPermission, Platform, StreamMessage } from "@/platform/platform";

type Method = "get" | "post" | "put" | "delete";
type Json<Responses> = {
  [Status in keyof Responses]: Status extends 200 | 201 | 202
    ? Responses[Status] extends { content: { "application/json": infer Body } }
      ? Body
      : never
    : never;
}[keyof Responses];
type Answer<P extends keyof Paths, M extends Method> = M extends keyof Paths[P]
  ? Paths[P][M] extends { responses: infer Responses }
    ? Json<Responses>
    : never
  : never;

/** What was asked. */
export type Asked = { method: string; path: string; params: Record<string, string>; query: URLSearchParams; body: unknown; headers: Headers };

/** A failure that the server answers with. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly error: Wire["ErrorBody"],
  ) {}
}

type Route = { method: string; pattern: RegExp; names: string[]; answer: (asked: Asked) => unknown };

export class FakeApi {
  readonly asked: Asked[] = [];
  readonly shown: { title: string; body: string }[] = [];
  readonly copied: string[] = [];
  readonly opened: string[] = [];
  readonly saved: string[] = [];
  permission: NotificationPermission = "ask";
  isReachable = true;
  readonly #routes: Route[] = [];
  readonly #streams = new Set<(message: StreamMessage) => void>();
  #seq = 0;

  /** Answers an operation; the newest answer to the same one counts. Throw a `Refusal` to refuse. */
  on<P extends keyof Paths, M extends Method>(method: M, path: P, answer: (asked: Asked) => Answer<P, M> | Promise<Answer<P, M>>): this {
    const names: string[] = [];
    const pattern = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      names.push(name);
      return "([^/]+)";
    });
    this.#routes.unshift({ method: method.toUpperCase(), pattern: new RegExp(`^${pattern}$`), names, answer });
    return this;
  }

  /** Tells an event of the log. */
  tell(body: Wire["EventBody"], session: string | null = null): void {
    this.#seq += 1;
    const event: Wire["Event"] = { seq: this.#seq, at: "2026-05-04T10:00:00Z", session, body };
    this.send({ event: body.type, data: JSON.stringify(event) });
  }

  send(message: StreamMessage): void {
    for (const stream of this.#streams) stream(message);
  }

  /** What was asked of one kind, such as `POST /api/v1/sessions`. */
  requests(line: string): Asked[] {
    return this.asked.filter((asked) => `${asked.method} ${asked.path}` === line);
  }

  platform(): Platform {
    const stored = new Map<string, string>();
    return {
      access: { isGranted: () => true, grant: () => true, revoke: () => undefined, subscribe: () => () => undefined },
      request: (request) => this.#answer(request),
      followEvents: ({ onOpen, onMessage, signal }) => this.#follow(onOpen, onMessage, signal),
      openExternal: (url) => void this.opened.push(url),
      saveFile: (_content, name) => Promise.resolve(this.saved.push(name) > 0),
      pickFolder: null,
      isEngineHere: true,
      hearOrders: () => () => undefined,
      clipboard: { write: (text) => Promise.resolve(void this.copied.push(text)) },
      storage: {
        get: (key) => stored.get(key) ?? null,
        set: (key, value) => void stored.set(key, value),
        remove: (key) => void stored.delete(key),
      },
      notifications: {
        permission: () => this.permission,
        ask: () => Promise.resolve(this.permission),
        show: ({ title, body }) => void this.shown.push({ title, body }),
      },
      peers: {
        elect: (_name, _signal, lead) => lead(),
        channel: () => ({ post: () => undefined, subscribe: () => () => undefined }),
      },
    };
  }

  #follow(onOpen: () => void, onMessage: (message: StreamMessage) => void, signal: AbortSignal): Promise<void> {
    if (!this.isReachable) return Promise.reject(new TypeError("no connection"));
    onOpen();
    this.#streams.add(onMessage);
    onMessage({ event: "begin", data: JSON.stringify({ epoch: "test", seq: this.#seq, is_reset: false }) });
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        this.#streams.delete(onMessage);
        resolve();
      });
    });
  }

  async #answer(request: Request): Promise<Response> {
    if (!this.isReachable) throw new TypeError("no connection");
    const url = new URL(request.url);
    const text = request.method === "GET" ? "" : await request.text();
    for (const route of this.#routes) {
      const found = route.method === request.method ? route.pattern.exec(url.pathname) : null;
      if (!found) continue;
      const params = Object.fromEntries(route.names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? "")]));
      const body: unknown = text === "" ? null : JSON.parse(text);
      const asked = { method: request.method, path: url.pathname, params, query: url.searchParams, body, headers: request.headers };
      this.asked.push(asked);
      return answerOf(() => route.answer(asked));
    }
    const error = { code: "test.no_answer", message: `the test has no answer to ${request.method} ${url.pathname}`, hint: null };
    return Response.json({ error }, { status: 500 });
  }
}

async function answerOf(give: () => unknown): Promise<Response> {
  try {
    return Response.json(await give());
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return Response.json({ error: refusal.error }, { status: refusal.status });
  }
}

/** A page of sessions. */
export function sessionPage(sessions: Wire["Session"][]): Wire["SessionPage"] {
  return { sessions, seq: 0, total: sessions.length, next: null };
}
