import { createParser } from "eventsource-parser";

import type { FollowOptions } from "../platform";

/** Where the stream of events is. */
const EVENTS = "/api/v1/events";

/** An answer that is no stream. */
export class StreamRefused extends Error {
  constructor(readonly status: number) {
    super(`the stream was refused (${status})`);
  }
}

/** Server-sent events over a request, because `EventSource` can send no token. */
export async function followEvents(options: FollowOptions, send: (request: Request) => Promise<Response>): Promise<void> {
  const request = new Request(EVENTS, {
    signal: options.signal,
    cache: "no-store",
    headers: options.lastEventId === null ? {} : { "Last-Event-ID": options.lastEventId },
  });
  const response = await send(request);
  if (!response.ok || !response.body) throw new StreamRefused(response.status);
  options.onOpen();
  const parser = messageParser(options);
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(decoder.decode(value, { stream: true }));
  }
}

/** Takes the text of a stream in pieces and tells its messages. */
export function messageParser(options: FollowOptions): { feed: (text: string) => void } {
  return createParser({
    onEvent: (message) => options.onMessage({ event: message.event ?? "message", data: message.data }),
  });
}
