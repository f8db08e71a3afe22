/** What can be done with a session from more than one page. Each is one operation of the API. */
import { answered, api } from "./client";
import { done } from "./jobs";
import type { Wire } from "./types";

const at = (session: string) => ({ params: { path: { session } } });

export const sessionActions = {
  stop: (session: string, body: Wire["StopWork"] = {}) =>
    answered(api.POST("/api/v1/sessions/{session}/stop", { ...at(session), body })),
  resume: (session: string) => answered(api.POST("/api/v1/sessions/{session}/resume", at(session))),
  iterate: (session: string, body: Wire["StartIteration"]) =>
    answered(api.POST("/api/v1/sessions/{session}/iterations", { ...at(session), body })),
  archive: (session: string) => answered(api.PUT("/api/v1/sessions/{session}/archived", at(session))),
  unarchive: (session: string) => answered(api.DELETE("/api/v1/sessions/{session}/archived", at(session))),
  forget: (session: string) => answered(api.DELETE("/api/v1/sessions/{session}", at(session))),
  refresh: (session: string) => answered(api.POST("/api/v1/sessions/{session}/refresh", at(session))),
  cleanUp: (session: string, body: Wire["CleanUpSession"]) =>
    done<Wire["CleanupAnswer"]>(api.POST("/api/v1/sessions/{session}/cleanup", { ...at(session), body })),
  restore: (body: Wire["RestoreWorktree"]) => answered(api.POST("/api/v1/trash/restore", { body })),
  undo: (session: string) => done<Wire["OperationAnswer"]>(api.POST("/api/v1/sessions/{session}/undo", at(session))),
  redo: (session: string) => done<Wire["OperationAnswer"]>(api.POST("/api/v1/sessions/{session}/redo", at(session))),
  land: (body: Wire["LandSessions"], onStep?: (steps: string[]) => void) =>
    done<Wire["LandAnswer"]>(api.POST("/api/v1/land", { body }), { onStep }),
};
