import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";
import { done } from "@/api/jobs";
import type { Wire } from "@/api/types";

export type Diagnosis = Wire["Diagnosis"];
export type SandboxTrials = Wire["SandboxAnswer"];
export type DoctorReport = Wire["DoctorReport"];

export const doctorKeys = {
  all: ["doctor"] as const,
  report: (repository: string | null) => ["doctor", "report", repository] as const,
};

/** Everything sessions depend on, looked at now. */
export const doctorQuery = (repository?: string) =>
  queryOptions({
    queryKey: doctorKeys.report(repository ?? null),
    queryFn: ({ signal }) => answered(api.GET("/api/v1/doctor", { params: { query: { repository } }, signal })),
    staleTime: 0,
  });

/** How the server itself does. */
export const serverQuery = () =>
  queryOptions({
    queryKey: [...doctorKeys.all, "server"] as const,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/server/metrics", { signal })),
    staleTime: 0,
  });

export function repair(repository?: string) {
  return done<DoctorReport>(api.POST("/api/v1/doctor/repair", { body: { repository } }));
}

/** Tries to get out of a sandbox, in every way that is known. */
export function checkSandbox(repository?: string) {
  return done<SandboxTrials>(api.POST("/api/v1/sandbox/check", { body: { repository } }));
}
