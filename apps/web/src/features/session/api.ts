import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { done } from "@/api/jobs";
import { sessionKeys } from "@/api/queries/sessions";
import type { Wire } from "@/api/types";

export const historyKeys = {
  log: (session: string) => [...sessionKeys.of(session), "log"] as const,
  operations: (session: string) => [...sessionKeys.of(session), "operations"] as const,
  jobs: ["jobs"] as const,
  check: (session: string) => [...sessionKeys.of(session), "check"] as const,
};

const at = (session: string) => ({ params: { path: { session } } });

/** Commits, iterations and script runs. */
export const logQuery = (session: string) =>
  queryOptions({
    queryKey: historyKeys.log(session),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/log", { ...at(session), signal })),
    staleTime: Infinity,
  });

/** What was done to a session, and what can be undone. */
export const operationsQuery = (session: string) =>
  queryOptions({
    queryKey: historyKeys.operations(session),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/operations", { ...at(session), signal })),
    staleTime: Infinity,
  });

/** Long work of the server, this session's or not. */
export const jobsQuery = () =>
  queryOptions({
    queryKey: historyKeys.jobs,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/jobs", { signal })),
    staleTime: Infinity,
  });

/** Whether a session may land. Asked anew whenever somebody looks. */
export const checkQuery = (session: string) =>
  queryOptions({
    queryKey: historyKeys.check(session),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/check", { ...at(session), signal })),
    staleTime: 0,
    gcTime: 0,
  });

export const cleanupPlanQuery = (session: string, consents: Wire["CleanUpSession"]) =>
  queryOptions({
    queryKey: [...sessionKeys.of(session), "cleanup-plan", consents] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/sessions/{session}/cleanup", { params: { path: { session }, query: consents }, signal })),
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
  redo: (session: string) => done<Wire["OperationAnswer"]>(api.POST("/api/v1/sessions/{session}/redo", at(session))),
  discard: (session: string) => answered(api.POST("/api/v1/sessions/{session}/discard", at(session))),
  undoDiscard: (session: string) => answered(api.POST("/api/v1/sessions/{session}/undo-discard", at(session))),
  approve: (session: string) => answered(api.PUT("/api/v1/sessions/{session}/approval", at(session))),
  withdraw: (session: string) => answered(api.DELETE("/api/v1/sessions/{session}/approval", at(session))),
  setField: (session: string, field: string, value: string) =>
    answered(api.PUT("/api/v1/sessions/{session}/fields/{field}", { params: { path: { session, field } }, body: { value } })),
  startScript: (session: string, body: Wire["StartScript"]) => answered(api.POST("/api/v1/sessions/{session}/script-runs", { ...at(session), body })),
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
