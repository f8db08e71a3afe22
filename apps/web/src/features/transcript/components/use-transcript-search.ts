import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { sessionKeys } from "@/api/queries/sessions";
import type { Wire } from "@/api/types";

import { searchTranscript } from "../api";

/** So many hits are looked for without being asked. */
const ENOUGH = 200;

/** Everything in a transcript that has a text. A long one is searched part by part until there are enough hits. */
export function useTranscriptSearch(session: string, text: string | undefined) {
  const query = useInfiniteQuery({
    queryKey: [...sessionKeys.of(session), "transcript-search", text] as const,
    queryFn: ({ pageParam, signal }) => searchTranscript(session, text ?? "", pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (page) => page.next ?? undefined,
    enabled: text !== undefined,
    staleTime: 15_000,
    gcTime: 60_000,
  });
  const hits: Wire["TranscriptHit"][] = query.data?.pages.flatMap((page) => page.hits) ?? [];
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const goesOn = hasNextPage && hits.length < ENOUGH && !isError;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  return { hits, isSearching: isFetching || goesOn, hasMore: hasNextPage, more: () => void fetchNextPage(), error: query.error };
}
