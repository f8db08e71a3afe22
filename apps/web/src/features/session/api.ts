import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { done } from "@/api/jobs";
import { sessionKeys } from "@/api/queries/sessions";
import type { Wire } from "@/api/types";

const at = (session: string) => ({ params: { path: { session } } });

/** Whether a session may land. Asked anew whenever somebody looks. */
export const checkQuery = (session: string) =>
  queryOptions({
    queryKey: [...sessionKeys.of(session), "check"] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/check", { ...at(session), signal })),
    staleTime: 0,
    gcTime: 0,
  });

/** Exactly what the agent would be started with. */
export const agentCommandQuery = (session: string) =>
  queryOptions({
    queryKey: [...sessionKeys.of(session), "agent-command"] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/agent-command", { ...at(session), signal })),
    gcTime: 0,
  });

export const guardQuery = (session: string) =>
  queryOptions({
    queryKey: [...sessionKeys.of(session), "guard"] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/guard", { ...at(session), signal })),
    gcTime: 0,
  });

export const artifactsQuery = (session: string) =>
  queryOptions({
    queryKey: [...sessionKeys.of(session), "artifacts"] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/artifacts", { ...at(session), signal })),
  });

type OnStep = (steps: string[]) => void;

export const landing = {
  commit: (session: string, body: Wire["CommitChanges"]) => answered(api.POST("/api/v1/sessions/{session}/commits", { ...at(session), body })),
  squash: (session: string, body: Wire["SquashSession"]) => answered(api.POST("/api/v1/sessions/{session}/squash", { ...at(session), body })),
  rebase: (session: string, onStep: OnStep, body: Wire["RebaseSession"] = {}) =>
    done<Wire["Rebased"]>(api.POST("/api/v1/sessions/{session}/rebase", { ...at(session), body }), { onStep }),
  stepRebase: (session: string, step: "continue" | "abort", onStep?: OnStep) =>
    done<Wire["Rebased"]>(api.POST("/api/v1/sessions/{session}/rebase/{step}", { params: { path: { session, step } } }), { onStep }),
  merge: (session: string, body: Wire["MergeSession"], onStep: OnStep) =>
    done<Wire["MergeAnswer"]>(api.POST("/api/v1/sessions/{session}/merge", { ...at(session), body }), { onStep }),
  pullRequest: (session: string, body: Wire["OpenPullRequest"], onStep: OnStep) =>
    done<Wire["ScriptAnswer"]>(api.POST("/api/v1/sessions/{session}/pull-request", { ...at(session), body }), { onStep }),
  push: (session: string, body: Wire["PushBranch"], onStep: OnStep) =>
    done<Wire["PushAnswer"]>(api.POST("/api/v1/sessions/{session}/push", { ...at(session), body }), { onStep }),
  discard: (session: string) => answered(api.POST("/api/v1/sessions/{session}/discard", at(session))),
  undoDiscard: (session: string) => answered(api.POST("/api/v1/sessions/{session}/undo-discard", at(session))),
  approve: (session: string) => answered(api.PUT("/api/v1/sessions/{session}/approval", at(session))),
  withdraw: (session: string) => answered(api.DELETE("/api/v1/sessions/{session}/approval", at(session))),
  setField: (session: string, field: string, value: string) =>
    answered(api.PUT("/api/v1/sessions/{session}/fields/{field}", { params: { path: { session, field } }, body: { value } })),
  startScript: (session: string, body: Wire["StartScript"]) => answered(api.POST("/api/v1/sessions/{session}/script-runs", { ...at(session), body })),
  openWindow: (session: string, kind: Wire["WindowKind"]) => answered(api.POST("/api/v1/sessions/{session}/window", { ...at(session), body: { with: kind } })),
  startSetup: (session: string, body: Wire["StartSetup"]) => answered(api.POST("/api/v1/sessions/{session}/setup", { ...at(session), body })),
  collectArtifacts: (session: string) => answered(api.POST("/api/v1/sessions/{session}/artifacts", at(session))),
  /** The work as one patch, of any size. */
  patch: (session: string): Promise<Blob> =>
    answered(api.GET("/api/v1/sessions/{session}/export.patch", { ...at(session), parseAs: "blob" }) as Promise<{ data?: Blob; error?: unknown; response: Response }>),
  artifact: (session: string, artifact: string): Promise<Blob> =>
    answered(
      api.GET("/api/v1/sessions/{session}/artifacts/{artifact}", { params: { path: { session, artifact } }, parseAs: "blob" }) as Promise<{ data?: Blob; error?: unknown; response: Response }>,
    ),
};

/** Everything that the agent of the last iteration printed, as it came. */
export async function rawOutput(session: string): Promise<Blob> {
  const { iterations } = await answered(api.GET("/api/v1/sessions/{session}/iterations", at(session)));
  const last = Math.max(0, ...iterations.map((iteration) => iteration.number));
  const texts: string[] = [];
  let from: string | undefined;
  for (;;) {
    const part = await answered(api.GET("/api/v1/sessions/{session}/iterations/{iteration}/output", { params: { path: { session, iteration: last }, query: { from } } }));
    if (part.lines.length === 0) return new Blob(texts, { type: "text/plain" });
    texts.push(...part.lines.map((line) => `${line.text}${line.ends_line ? "\n" : ""}`));
    from = part.next;
  }
}
