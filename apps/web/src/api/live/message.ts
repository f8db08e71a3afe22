import type { Job, LogEvent, Wire } from "../types";

/** One thing that the stream of events tells. */
export type LiveMessage =
  | { kind: "event"; event: LogEvent }
  | { kind: "job"; job: Job }
  | { kind: "facts"; sessionIds: string[] }
  /** The stream begins, or goes on after a break; everything up to `seq` is in the answers that say so. */
  | { kind: "begin"; seq: number; wasLost: boolean }
  /** The log is another one: nothing that was read before counts. */
  | { kind: "reset" };

/** A place in the log. */
export type Place = { epoch: string; seq: number };

/** Whether what is shown is up to date. */
export type LivePhase = "connecting" | "live" | "reconnecting" | "offline";

/** A message of the stream, read; `null` for one that this page does not know. */
export function readMessage(event: string, data: string): LiveMessage | { kind: "stream_begin"; begin: Wire["StreamBegin"] } | null {
  const body = parsed(data);
  if (body === null) return null;
  switch (event) {
    case "begin":
      return { kind: "stream_begin", begin: body as Wire["StreamBegin"] };
    case "job":
      return { kind: "job", job: body as Job };
    case "facts":
      return { kind: "facts", sessionIds: (body as Wire["FactsTold"]).session_ids };
    default:
      return "seq" in body && "body" in body ? { kind: "event", event: body as LogEvent } : null;
  }
}

function parsed(data: string): object | null {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
