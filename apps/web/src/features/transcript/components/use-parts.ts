import { useQueries } from "@tanstack/react-query";
import { useCallback } from "react";

import { PART, partOf, partQuery } from "@/api/queries/transcript";
import type { TranscriptItem } from "@/api/types";

/** The items of a range of positions, as far as they are there. */
export function useParts(session: string, first: number, last: number) {
  const parts = last < first ? [] : Array.from({ length: partOf(last) - partOf(first) + 1 }, (_, index) => partOf(first) + index);
  const results = useQueries({ queries: parts.map((part) => partQuery(session, part)) });
  const failed = results.find((result) => result.isError && result.data === undefined);
  const begin = parts[0] ?? 0;
  const itemAt = useCallback(
    (position: number): TranscriptItem | undefined => {
      const items = results[partOf(position) - begin]?.data?.items;
      const near = items?.[(position - 1) % PART];
      // Positions have no gaps as a rule; where they do, it is looked for.
      return near?.position === position ? near : items?.find((item) => item.position === position);
    },
    [results, begin],
  );
  return { itemAt, failure: failed?.error ?? null, retry: () => void failed?.refetch() };
}
