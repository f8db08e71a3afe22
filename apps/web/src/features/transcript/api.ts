import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { sessionKeys } from "@/api/queries/sessions";
import type { Wire } from "@/api/types";

/** Hits of one answer. */
const HITS = 200;

/** One step of a search. A long transcript is searched in parts: `next` says where it goes on. */
export function searchTranscript(session: string, text: string, after: number, signal?: AbortSignal): Promise<Wire["TranscriptHits"]> {
  const params = { path: { session }, query: { text, after, limit: HITS } };
  return answered(api.GET("/api/v1/sessions/{session}/transcript/search", { params, signal }));
}

export const slashCommandsQuery = (session: string) =>
  queryOptions({
    queryKey: [...sessionKeys.of(session), "slash-commands"] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/slash-commands", { params: { query: { session } }, signal })),
    // Files of the user: nobody tells when they change.
    staleTime: 30_000,
  });

const at = (session: string) => ({ params: { path: { session } } });

export function answerQuestion(session: string, text: string) {
  return answered(api.POST("/api/v1/sessions/{session}/answer", { ...at(session), body: { text } }));
}

export function decidePermission(session: string, body: Wire["DecidePermission"]) {
  return answered(api.POST("/api/v1/sessions/{session}/permissions", { ...at(session), body }));
}
