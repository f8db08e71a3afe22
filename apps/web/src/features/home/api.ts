import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { sessionKeys } from "@/api/queries/sessions";
import type { Session } from "@/api/types";

/** Questions of rows that are asked at once: rows come and go quickly, and the browser has six connections. */
const AT_ONCE = 2;
const waiting: (() => void)[] = [];
let asking = 0;

/** Waits for its turn; one that is not wanted any more gives it up. */
async function inTurn<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  if (asking >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  asking += 1;
  try {
    signal.throwIfAborted();
    return await ask();
  } finally {
    asking -= 1;
    waiting.shift()?.();
  }
}

/** How many lines a session changed since its base. Asked again only when its branch or its files moved. */
export const linesQuery = ({ id, head, dirty }: Session) =>
  queryOptions({
    queryKey: [...sessionKeys.of(id), "lines", head ?? null, dirty ?? null] as const,
    queryFn: ({ signal }) =>
      inTurn(signal, async () => {
        const query = { what: "since_base" as const, limit: 1 };
        const page = await answered(api.GET("/api/v1/sessions/{session}/diff", { params: { path: { session: id }, query }, signal }));
        return { insertions: page.insertions, deletions: page.deletions, files: page.total };
      }),
    staleTime: Infinity,
    retry: false,
  });

/** The iterations before the last one, for sums. */
export const earlierQuery = ({ id, last_iteration }: Session) =>
  queryOptions({
    queryKey: [...sessionKeys.of(id), "earlier", last_iteration?.number ?? 0] as const,
    queryFn: ({ signal }) =>
      inTurn(signal, () => answered(api.GET("/api/v1/sessions/{session}/iterations", { params: { path: { session: id } }, signal }))),
    staleTime: Infinity,
    retry: false,
  });

export const homeActions = {
  reattach: (session: string, directory: string) =>
    answered(api.PUT("/api/v1/sessions/{session}/fields/{field}", { params: { path: { session, field: "worktree" } }, body: { value: directory } })),
  adopt: (path: string) => answered(api.POST("/api/v1/worktrees/adopt", { body: { path } })),
};
