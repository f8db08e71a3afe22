import type { Session } from "@/api/types";

type Field = {
  /** The value as it is now, in the words that the field takes. */
  now: (session: Session) => string;
  /** Whether it can be empty. */
  isOptional: boolean;
};

const required = (now: Field["now"]): Field => ({ now, isOptional: false });
const optional = (now: (session: Session) => string | null | undefined): Field => ({ now: (session) => now(session) ?? "", isOptional: true });

/** The fields of a session that a person can change, by their names on the command line. */
export const FIELDS = {
  name: required((session) => session.name),
  notes: optional((session) => session.notes),
  prompt: required((session) => session.prompt),
  constraints: optional((session) => session.constraints),
  issue: optional((session) => session.issue),
  script: optional((session) => session.script_command),
  model: optional((session) => session.model),
  agent: required((session) => session.agent),
  timeout: optional((session) => (session.timeout_ms == null ? null : durationText(session.timeout_ms))),
  permissions: optional((session) => session.permissions),
  rules: optional((session) => session.rules.join("\n")),
  env: optional((session) => session.runtime.environment),
  mode: optional((session) => session.runtime.mode),
  budget: optional((session) => session.runtime.budget),
  isolation: optional((session) => session.runtime.isolation),
  toolbox: optional((session) => session.runtime.toolboxes.join("\n")),
  mcp: optional((session) => session.runtime.mcp.join(", ")),
  branch: required((session) => session.branch_name),
  base: required((session) => session.base_branch),
  worktree: required((session) => session.worktree_path),
} satisfies Record<string, Field>;

export type FieldName = keyof typeof FIELDS;

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** A time as the engine takes it: in the largest unit that is exact. */
function durationText(ms: number): string {
  const exact = UNITS.find(([, each]) => ms > 0 && ms % each === 0);
  return exact ? `${ms / exact[1]}${exact[0]}` : `${ms}ms`;
}
