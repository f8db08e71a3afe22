/** How a run of a script looks, by its state; a state of another version is quiet. */
export function scriptRunTone(state: string): string {
  return TONES[state] ?? "quiet";
}

const TONES: Partial<Record<string, string>> = {
  running: "active",
  passed: "good",
  failed: "danger",
  timed_out: "danger",
  output_limit: "danger",
  interrupted: "danger",
  stopped: "quiet",
  not_allowed: "attention",
};
