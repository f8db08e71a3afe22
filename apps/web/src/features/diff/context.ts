/** The lines between the hunks. The server has whole files only as they are in the worktree now. */
import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { linesOf } from "@/ui/lines";

import { diffKeys } from "./api";
import { isBlob } from "./blob";
import { type DiffScope, endsInWorktree } from "./model";
import type { Patch } from "./patch";

/** All lines of the newer side, or why they cannot be had. */
export type Context = { kind: "lines"; lines: string[] } | { kind: "another" } | { kind: "unknown" };

export const contextQuery = (session: string, scope: DiffScope, path: string, patch: Patch) =>
  queryOptions({
    queryKey: [...diffKeys.of(session), "context", scope, path, patch.newBlob] as const,
    queryFn: async ({ signal }): Promise<Context> => {
      const query = { path };
      const file = await answered(api.GET("/api/v1/sessions/{session}/file", { params: { path: { session }, query }, signal }));
      if (file.text == null) return { kind: "another" };
      const lines = linesOf(file.text);
      const isThis = endsInWorktree(scope) ? fits(lines, patch) : patch.newBlob !== null && (await isBlob(file.text, patch.newBlob));
      if (isThis === null) return { kind: "unknown" };
      return isThis ? { kind: "lines", lines } : { kind: "another" };
    },
    gcTime: 60_000,
    retry: false,
  });

/** Whether the lines of the patch stand where it says. */
function fits(lines: readonly string[], patch: Patch): boolean {
  return patch.hunks.every((hunk) => hunk.lines.every((line) => line.new === null || lines[line.new - 1] === line.text));
}
