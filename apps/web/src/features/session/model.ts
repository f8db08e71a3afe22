import type { Iteration, Session, SessionDetail, Wire } from "@/api/types";
import { formatTime, plural } from "@/ui/format";
import { firstLine } from "@/ui/lines";
import { type RawSearch, readChoice } from "@/ui/search";
import { hasWorktree } from "@/ui/session-status";

export const TABS = ["transcript", "diff", "scripts", "inspector"] as const;
export type Tab = (typeof TABS)[number];

export function readTab(given: RawSearch): { tab?: Tab } {
  return { tab: readChoice(given.tab, TABS) };
}

/** The longest first line of a commit's message that is shown whole everywhere. */
const LONGEST_SUBJECT = 72;

/** What a commit of a prompt's work may be called: its first sentence, or as many of its words as fit. */
export function subjectOf(prompt: string): string {
  const sentence = firstLine(prompt).trim().replace(/[.!?](\s.*)?$/, "");
  if (sentence.length <= LONGEST_SUBJECT) return sentence;
  return sentence.slice(0, LONGEST_SUBJECT + 1).replace(/\s+\S*$/, "").slice(0, LONGEST_SUBJECT);
}

/** What is known about why a session has its status, most telling first. */
export function evidenceOf(session: Session): string[] {
  const { last_iteration: last } = session;
  const found: string[] = [];
  const say = (text: string | null | undefined) => {
    if (text != null && text !== "") found.push(text);
  };
  switch (session.status) {
    case "initializing":
      say(session.setup === "running" ? "Its set-up runs" : null);
      break;
    case "queued":
      say(last && `Iteration ${last.number} was asked for at ${formatTime(last.queued_at)}`);
      break;
    case "running":
      say(last && `Iteration ${last.number} runs${last.started_at == null ? "" : ` since ${formatTime(last.started_at)}`}`);
      break;
    case "awaiting_input":
      say(session.questions[0] && `The agent wants to ${session.questions[0].what}`);
      say(session.questions.length === 0 ? last?.summary : null);
      break;
    case "blocked":
      say(last?.message ?? (last?.cause == null ? null : causeText(last.cause)));
      say(last?.parked && `Try ${last.parked.retry} of ${last.parked.retries} at ${formatTime(last.parked.until)}`);
      break;
    case "evaluating":
      say(session.script_run?.state === "running" ? `Script \`${session.script_run.script}\` runs: ${session.script_run.command}` : null);
      break;
    case "conflicted":
      say("A rebase waits for conflicts to be decided");
      break;
    case "interrupted":
    case "error":
      say(lastFailure(session));
      break;
    case "completed":
      say(session.landed_into && `Landed on ${session.landed_into}${session.landed_at == null ? "" : ` at ${formatTime(session.landed_at)}`}`);
      say(session.landed_is_there === false ? "That branch no longer has it" : null);
      break;
    case "unknown":
      say(checkoutText(session.other_checkout));
      break;
    case "idle":
      say(last == null ? "No iteration ran yet" : iterationText(last));
  }
  return found;
}

function lastFailure(session: Session): string | null {
  const { last_iteration: last } = session;
  if (last?.message != null) return `Iteration ${last.number}: ${last.message}`;
  if (session.setup === "failed" || session.setup === "not_allowed") return session.setup_run?.problem?.message ?? "Its set-up did not come to a good end";
  if (last?.script_passed === false) return `The script after iteration ${last.number} failed`;
  return last == null || last.outcome === "succeeded" ? "Its directory or branch cannot be read" : iterationText(last);
}

/** How an iteration stands, in words. */
export function iterationText(iteration: Iteration): string {
  const number = `Iteration ${iteration.number}`;
  switch (iteration.state) {
    case "queued":
      return `${number} waits for its turn`;
    case "running":
      return `${number} runs`;
    case "blocked":
      return `${number} waits for its provider`;
    case "evaluating":
      return `${number}: its script runs`;
    default:
      return `${number} ${OUTCOMES[iteration.outcome ?? ""] ?? iteration.outcome ?? "ended"}`;
  }
}

const OUTCOMES: Record<string, string> = {
  succeeded: "succeeded",
  awaiting_input: "ended with a question",
  blocked: "was blocked",
  stopped: "was stopped",
  failed: "failed",
  interrupted: "was interrupted",
};

function causeText(cause: Wire["FailureCause"]): string {
  return cause.replaceAll("_", " ");
}

export function checkoutText(other: Wire["OtherCheckout"] | null | undefined): string | null {
  switch (other?.kind) {
    case undefined:
      return null;
    case "branch":
      return `Its directory is on another branch: ${other.name}`;
    case "commit":
      return `Its directory is on no branch, at ${other.id.slice(0, 7)}`;
    case "branch_gone":
      return other.now == null ? "Its branch is gone" : `Its branch is gone; its directory is on ${other.now}`;
  }
}

/** Whether its directory cannot be read although it should be there. */
export function isWorktreeMissing({ session, changes }: SessionDetail): boolean {
  return changes === null && hasWorktree(session) && session.status !== "initializing" && session.checked_at != null;
}

/** How the branch stands to its base. */
export function distanceText({ ahead, behind, base_branch: base }: Session): string | null {
  if (ahead == null || behind == null) return null;
  if (ahead === 0 && behind === 0) return `same as ${base}`;
  return [ahead > 0 ? `${ahead} ahead of` : "", behind > 0 ? `${behind} behind` : ""].filter((it) => it !== "").join(", ") + ` ${base}`;
}

/** Something that happened to a session. */
export type Entry =
  | { kind: "commit"; at: string; key: string; commit: Wire["Commit"] }
  | { kind: "iteration"; at: string; key: string; iteration: Iteration }
  | { kind: "script"; at: string; key: string; run: Wire["ScriptRun"] }
  | { kind: "operation"; at: string; key: string; operation: Wire["Operation"] }
  | { kind: "call"; at: string; key: string; call: Wire["Call"] };

/** Everything that happened, newest first. */
export function timelineOf(log: Wire["SessionLog"], operations: readonly Wire["Operation"][]): Entry[] {
  const entries: Entry[] = [
    ...log.commits.map((commit): Entry => ({ kind: "commit", at: commit.at, key: `commit-${commit.id}`, commit })),
    ...log.iterations.map((iteration): Entry => ({ kind: "iteration", at: iteration.started_at ?? iteration.queued_at, key: `iteration-${iteration.number}`, iteration })),
    ...log.script_runs.map((run): Entry => ({ kind: "script", at: run.started_at, key: `script-${run.id}`, run })),
    ...operations.map((operation): Entry => ({ kind: "operation", at: operation.started_at, key: `operation-${operation.id}`, operation })),
    ...(log.calls ?? []).map((call, index): Entry => ({ kind: "call", at: call.at, key: `call-${index}`, call })),
  ];
  return entries.sort((one, other) => Date.parse(other.at) - Date.parse(one.at) || RANK[other.kind] - RANK[one.kind]);
}

/** Of what happened in the same second, what came last stands first. */
const RANK: Record<Entry["kind"], number> = { iteration: 0, call: 1, commit: 2, script: 3, operation: 4 };

export function changedText(files: readonly Wire["FileChange"][]): string {
  const added = files.reduce((sum, file) => sum + (file.insertions ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.deletions ?? 0), 0);
  return `${plural(files.length, "file")} +${added} −${removed}`;
}

/** The servers of a session that can be opened. */
export function openServers(session: Session): { name: string; url: string; isReady: boolean }[] {
  return session.servers.flatMap((run) => {
    const url = run.server?.url ?? run.server?.local_url;
    return run.state === "running" && url != null ? [{ name: run.script, url, isReady: run.server?.state === "ready" }] : [];
  });
}

/** The address that opens a directory in VS Code. */
export function editorUrl(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  return `vscode://file${slashed.startsWith("/") ? "" : "/"}${slashed.split("/").map(encodeURIComponent).join("/").replaceAll("%3A", ":")}`;
}

/** A command as a shell takes it. */
export function shellCommand(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
