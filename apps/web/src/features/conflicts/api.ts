import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { done } from "@/api/jobs";
import { sessionKeys } from "@/api/queries/sessions";
import type { Wire } from "@/api/types";

export const conflictKeys = {
  matrices: ["conflict-matrix"] as const,
  matrix: (repository: string) => ["conflict-matrix", repository] as const,
  of: (session: string) => [...sessionKeys.of(session), "conflicts"] as const,
  sides: (session: string, path: string) => [...conflictKeys.of(session), "sides", path] as const,
};

/** Which sessions of a repository get into each other's way. Much work for the server, so it is not asked for lightly. */
export const matrixQuery = (repository: string) =>
  queryOptions({
    queryKey: conflictKeys.matrix(repository),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/conflicts", { params: { query: { repository } }, signal })),
    staleTime: 30_000,
  });

/** What git could not decide, or would not be able to. */
export const conflictsQuery = (session: string) =>
  queryOptions({
    queryKey: [...conflictKeys.of(session), "list"] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/conflicts", { params: { path: { session } }, signal })),
    staleTime: 5_000,
  });

/** What each side has of one file. */
export const sidesQuery = (session: string, path: string) =>
  queryOptions({
    queryKey: conflictKeys.sides(session, path),
    queryFn: ({ signal }) =>
      answered(api.GET("/api/v1/sessions/{session}/conflicts/sides", { params: { path: { session }, query: { path } }, signal })),
    gcTime: 60_000,
    retry: false,
  });

const at = (session: string) => ({ params: { path: { session } } });

export const conflictActions = {
  rebase: (session: string) => done<Wire["Rebased"]>(api.POST("/api/v1/sessions/{session}/rebase", { ...at(session), body: {} })),
  step: (session: string, step: "continue" | "skip" | "abort") =>
    done<Wire["Rebased"]>(api.POST("/api/v1/sessions/{session}/rebase/{step}", { params: { path: { session, step } } })),
  resolve: (session: string, body: Wire["ResolveConflict"]) =>
    answered(api.POST("/api/v1/sessions/{session}/conflicts/resolve", { ...at(session), body })),
  regenerate: (session: string, body: Wire["RegenerateLockfile"]) =>
    done<Wire["Resolved"]>(api.POST("/api/v1/sessions/{session}/conflicts/regenerate", { ...at(session), body })),
};
