/** What can be done with the session that is looked at. Buttons, keys and the palette are made of this. */

export type ActionId =
  | "iterate"
  | "test"
  | "commit"
  | "squash"
  | "merge"
  | "pull_request"
  | "push"
  | "export"
  | "cleanup"
  | "undo"
  | "redo"
  | "stop"
  | "resume"
  | "discard"
  | "undo_discard"
  | "abort_rebase"
  | "approve"
  | "withdraw"
  | "archive"
  | "unarchive"
  | "restore"
  | "forget"
  | "setup"
  | "refresh"
  | "fields"
  | "agent_command"
  | "guard"
  | "raw_output"
  | "artifacts"
  | "editor"
  | "terminal";

export type Action = { title: string; keys?: string; keywords?: string; operations: readonly string[] };

export const ACTIONS: Record<ActionId, Action> = {
  iterate: { title: "New iteration", keys: "a i", keywords: "run agent follow-up", operations: ["start_iteration"] },
  test: { title: "Run tests", keys: "a t", keywords: "script", operations: ["start_script"] },
  commit: { title: "Commit manual changes", keys: "a c", keywords: "keep", operations: ["commit_changes"] },
  squash: { title: "Squash and rebase", keys: "a s", operations: ["squash_session", "rebase_session"] },
  merge: { title: "Merge", keys: "a m", keywords: "land check", operations: ["merge_session", "check_session", "approve_session"] },
  pull_request: { title: "Open a pull request", keys: "a p", keywords: "PR", operations: ["open_pull_request"] },
  push: { title: "Push the branch", operations: ["push_session"] },
  export: { title: "Export patch", keys: "a e", keywords: "download", operations: ["download_patch"] },
  cleanup: { title: "Clean up", keys: "a x", keywords: "trash delete remove", operations: ["cleanup_session", "plan_cleanup"] },
  undo: { title: "Undo", keys: "a u", keywords: "take back", operations: ["undo_operation", "list_operations"] },
  redo: { title: "Redo", keys: "a r", operations: ["redo_operation"] },
  stop: { title: "Stop", keys: "a .", keywords: "cancel end", operations: ["stop_session"] },
  resume: { title: "Resume", keywords: "retry now interrupted", operations: ["resume_session"] },
  discard: { title: "Discard what was left", keywords: "interrupted", operations: ["discard_changes"] },
  undo_discard: { title: "Bring back what was discarded", operations: ["undo_discard"] },
  abort_rebase: { title: "Give up the rebase", keywords: "abort", operations: ["step_rebase"] },
  approve: { title: "Approve the work", keywords: "reviewed", operations: ["approve_session"] },
  withdraw: { title: "Take the approval back", operations: ["withdraw_approval"] },
  archive: { title: "Put away", keywords: "archive", operations: ["archive_session"] },
  unarchive: { title: "Bring the session back", keywords: "unarchive", operations: ["unarchive_session"] },
  restore: { title: "Restore from the trash", operations: ["restore_worktree"] },
  forget: { title: "Forget the session", operations: ["forget_session"] },
  setup: { title: "Run the set-up", operations: ["start_setup"] },
  refresh: { title: "Ask git again", keywords: "refresh reload", operations: ["refresh_session", "get_session"] },
  fields: { title: "Change name, notes, model, budget", keywords: "edit settings set field", operations: ["set_session_field"] },
  agent_command: { title: "Show what the agent is started with", operations: ["get_agent_command"] },
  guard: { title: "Show what changed outside of the worktree", keywords: "isolation", operations: ["get_guard_report"] },
  raw_output: { title: "Download what the agent printed", keywords: "raw output log lines", operations: ["get_output"] },
  artifacts: { title: "Artifacts", keywords: "reports collect download", operations: ["list_artifacts", "collect_artifacts", "get_artifact"] },
  editor: { title: "Open in the editor", keys: "o e", keywords: "code window", operations: ["open_window"] },
  terminal: { title: "Open a terminal", keys: "o t", keywords: "shell window", operations: ["open_window"] },
};
