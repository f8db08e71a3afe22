import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { answered, api } from "../client";
import type { LiveHandler } from "../live/handlers";
import type { TranscriptItem } from "../types";
import { sessionKeys } from "./sessions";

/** Items of a transcript are held in parts of this many, by position: part 0 has the positions 1 to 200. */
export const PART = 200;
/** How long parts out of sight are kept. */
const KEPT_MS = 120_000;

/** Which positions there are: from `begin + 1` to `end`. */
export type Extent = { begin: number; end: number; seq: number };
export type Part = { items: readonly TranscriptItem[] };

export const transcriptKeys = {
  all: (session: string) => [...sessionKeys.of(session), "transcript"] as const,
  extents: (session: string) => [...transcriptKeys.all(session), "extent"] as const,
  extent: (session: string, iteration: number | null) => [...transcriptKeys.extents(session), iteration] as const,
  part: (session: string, part: number) => [...transcriptKeys.all(session), "part", part] as const,
};

/** How long a transcript is; of one iteration or of the whole session. */
export const extentQuery = (session: string, iteration: number | null = null) =>
  queryOptions({
    queryKey: transcriptKeys.extent(session, iteration),
    queryFn: async ({ signal }): Promise<Extent> => {
      const query = { after: 0, limit: 1, iteration: iteration ?? undefined };
      const { begin, end, seq } = await answered(api.GET("/api/v1/sessions/{session}/transcript", { params: { path: { session }, query }, signal }));
      return { begin, end, seq };
    },
    // Events keep it true.
    staleTime: Infinity,
  });

/** One part of a transcript. What was read before is not read again. */
export const partQuery = (session: string, part: number) =>
  queryOptions({
    queryKey: transcriptKeys.part(session, part),
    queryFn: ({ client, signal }) => readPart(client, session, part, signal),
    staleTime: Infinity,
    gcTime: KEPT_MS,
    structuralSharing: false,
  });

export function partOf(position: number): number {
  return Math.floor((position - 1) / PART);
}

async function readPart(cache: QueryClient, session: string, part: number, signal: AbortSignal): Promise<Part> {
  const items = [...(cache.getQueryData<Part>(transcriptKeys.part(session, part))?.items ?? [])];
  const last = (part + 1) * PART;
  for (;;) {
    const after = items.at(-1)?.position ?? part * PART;
    if (after >= last) return { items };
    const query = { after, limit: last - after };
    const page = await answered(api.GET("/api/v1/sessions/{session}/transcript", { params: { path: { session }, query }, signal }));
    items.push(...page.items);
    // Large items come a few at a time, and there may be more by now.
    const end = Math.max(page.end, cache.getQueryData<Extent>(transcriptKeys.extent(session, null))?.end ?? 0);
    if (page.items.length === 0 || (items.at(-1)?.position ?? 0) >= Math.min(end, last)) return { items };
  }
}

/** Makes transcripts longer as their agents go on. */
export const transcriptHandler: LiveHandler = (message, cache) => {
  if (message.kind !== "event" || message.event.session == null) return;
  const { body, session, seq } = message.event;
  if (body.type === "data_removed") {
    void cache.resetQueries({ queryKey: transcriptKeys.all(session) });
  } else if (body.type === "transcript_appended") {
    for (const iteration of [null, body.iteration]) {
      cache.setQueryData<Extent>(transcriptKeys.extent(session, iteration), (extent) =>
        extent && { begin: extent.end <= extent.begin ? body.from - 1 : extent.begin, end: Math.max(extent.end, body.to), seq },
      );
    }
    for (let part = partOf(body.from); part <= partOf(body.to); part += 1) {
      // The one that is being read goes on until it has everything.
      void cache.invalidateQueries({ queryKey: transcriptKeys.part(session, part) }, { cancelRefetch: false });
    }
  }
};
