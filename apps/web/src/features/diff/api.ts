import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { sessionKeys } from "@/api/queries/sessions";
import type { Wire } from "@/api/types";

import { type DiffScope, type FileChange, scopeParameters } from "./model";

/** The most files that one answer can have. */
const PAGE = 10_000;

export const diffKeys = {
  of: (session: string) => [...sessionKeys.of(session), "diff"] as const,
  list: (session: string, scope: DiffScope) => [...diffKeys.of(session), "list", scope] as const,
  file: (session: string, scope: DiffScope, path: string) => [...diffKeys.of(session), "file", scope, path] as const,
  worktreeFile: (session: string, path: string) => [...diffKeys.of(session), "worktree", path] as const,
};

export type ChangeList = { seq: number; session: Wire["Session"]; insertions: number; deletions: number; files: FileChange[] };

/** The files that changed, without their patches. */
export const changesQuery = (session: string, scope: DiffScope) =>
  queryOptions({
    queryKey: diffKeys.list(session, scope),
    queryFn: ({ signal }) => allChanges(session, scope, signal),
    staleTime: 5_000,
  });

async function allChanges(session: string, scope: DiffScope, signal: AbortSignal): Promise<ChangeList> {
  const files: FileChange[] = [];
  for (let cursor: number | undefined; ; ) {
    const query = { ...scopeParameters(scope), limit: PAGE, cursor };
    const page = await answered(api.GET("/api/v1/sessions/{session}/diff", { params: { path: { session }, query }, signal }));
    files.push(...page.files);
    if (page.next == null) return { seq: page.seq, session: page.session, insertions: page.insertions, deletions: page.deletions, files };
    cursor = page.next;
  }
}

/** The patch of one file. */
export const fileDiffQuery = (session: string, scope: DiffScope, file: Pick<FileChange, "path" | "original">) =>
  queryOptions({
    queryKey: diffKeys.file(session, scope, file.path),
    queryFn: ({ signal }) => {
      const query = { ...scopeParameters(scope), path: file.path, original: file.original ?? undefined };
      return answered(api.GET("/api/v1/sessions/{session}/diff/file", { params: { path: { session }, query }, signal }));
    },
    staleTime: 5_000,
    // Large patches that nobody looks at any more are let go.
    gcTime: 60_000,
    retry: false,
  });

/** A file as it is in the worktree now. */
export const worktreeFileQuery = (session: string, path: string) =>
  queryOptions({
    queryKey: diffKeys.worktreeFile(session, path),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/file", { params: { path: { session }, query: { path } }, signal })),
    // An editor begins with what it is given first, so that must not be what the file was before.
    gcTime: 0,
    retry: false,
  });

export function saveFile(session: string, path: string, body: Wire["SaveFile"]): Promise<Wire["FileAnswer"]> {
  return answered(api.PUT("/api/v1/sessions/{session}/file", { params: { path: { session }, query: { path } }, body }));
}
