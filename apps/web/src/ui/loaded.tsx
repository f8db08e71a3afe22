import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { type Failure, FailedState, SkeletonRows } from "./states";

type Props<T> = {
  query: UseQueryResult<T>;
  /** What is said when it cannot be had. */
  failed: string;
  isSmall?: boolean;
  rows?: number;
  children: (data: T) => ReactNode;
};

/** What a query answers, or how it stands. What is there already stays in sight while it is asked again. */
export function Loaded<T>({ query, failed, isSmall = false, rows = 8, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <FailedState isSmall={isSmall} title={failed} failure={failureOf(query.error)} onRetry={() => void query.refetch()} />;
  return <SkeletonRows count={rows} />;
}

function failureOf(error: Error): Failure {
  const { hint, code } = error as { hint?: unknown; code?: unknown };
  return {
    message: error.message,
    hint: typeof hint === "string" ? hint : null,
    code: typeof code === "string" ? code : undefined,
  };
}
