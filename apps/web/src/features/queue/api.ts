import { answered, api } from "@/api/client";
import type { Wire } from "@/api/types";

export type QueueRow = Wire["QueueRow"];

export function stopScriptRun(session: string, run: number) {
  return answered(api.POST("/api/v1/sessions/{session}/script-runs/{run}/stop", { params: { path: { session, run } }, body: {} }));
}
