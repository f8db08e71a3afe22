//! The command line and the HTTP API can do the same: every command has its operations, every operation its command, and
//! what has none says why.

use std::collections::BTreeSet;

use clap::{Command, CommandFactory};

use crate::args::Orchestra;

/// Commands, and the operations that do the same.
const EQUAL: &[(&str, &[&str])] = &[
    ("agents list", &["list_agents"]),
    ("agents show", &["get_agent"]),
    ("agents test", &["test_agent"]),
    ("commands allow", &["allow_commands"]),
    ("commands forget", &["forget_commands"]),
    ("commands list", &["list_commands"]),
    ("config get", &["get_setting"]),
    ("config list", &["list_settings"]),
    ("config path", &["get_settings_files"]),
    ("config schema", &["get_settings_schema"]),
    ("config set", &["set_setting"]),
    ("config unset", &["unset_setting"]),
    ("conflicts", &["compare_sessions"]),
    ("data export", &["export_data"]),
    ("data purge", &["plan_purge", "purge_data"]),
    ("data show", &["get_data"]),
    ("doctor", &["examine_installation", "repair_installation"]),
    ("env list", &["list_environments"]),
    ("env show", &["get_agent_command"]),
    ("gc", &["keep_house"]),
    ("init", &["propose_settings_file", "write_settings_file"]),
    ("leases", &["list_leases"]),
    ("mcp check", &["check_mcp_server"]),
    ("mcp list", &["list_mcp_servers"]),
    ("queue", &["list_queue"]),
    ("sandbox check", &["check_sandbox"]),
    ("session answer", &["answer_session", "decide_permission"]),
    ("session approve", &["approve_session", "withdraw_approval"]),
    ("session archive", &["archive_session", "unarchive_session"]),
    (
        "session artifacts",
        &["list_artifacts", "collect_artifacts", "get_artifact"],
    ),
    (
        "session attach",
        &[
            "stream_events",
            "list_events",
            "get_transcript",
            "get_output",
        ],
    ),
    ("session check", &["check_session"]),
    ("session cleanup", &["plan_cleanup", "cleanup_session"]),
    ("session commit", &["commit_changes"]),
    ("session conflicts", &["list_conflicts", "compare_conflict"]),
    ("session diff", &["list_changes", "get_file_diff"]),
    ("session discard", &["discard_changes", "undo_discard"]),
    ("session export", &["export_session", "download_patch"]),
    ("session forget", &["forget_session"]),
    ("session guard", &["get_guard_report"]),
    ("session iterate", &["start_iteration"]),
    ("session land", &["land_sessions"]),
    ("session list", &["list_sessions"]),
    (
        "session log",
        &[
            "get_session_log",
            "list_iterations",
            "get_iteration",
            "list_script_runs",
        ],
    ),
    ("session merge", &["merge_session"]),
    ("session new", &["create_session"]),
    (
        "session open",
        &["open_window", "list_directory", "read_file", "save_file"],
    ),
    ("session operations", &["list_operations"]),
    ("session pr", &["open_pull_request"]),
    ("session push", &["push_session"]),
    ("session rebase", &["rebase_session", "step_rebase"]),
    ("session redo", &["redo_operation"]),
    (
        "session resolve",
        &["resolve_conflict", "regenerate_lockfile"],
    ),
    ("session resume", &["resume_session"]),
    (
        "session run",
        &[
            "start_script",
            "get_script_run",
            "get_script_output",
            "stop_script_run",
            "list_servers",
            "start_server",
            "restart_server",
            "stop_server",
        ],
    ),
    ("session set", &["set_session_field"]),
    ("session setup", &["get_setup", "start_setup"]),
    ("session shell", &["open_window"]),
    ("session squash", &["squash_session"]),
    ("session status", &["get_session", "refresh_session"]),
    ("session stop", &["stop_session"]),
    (
        "session transcript",
        &["get_transcript", "search_transcript", "get_output"],
    ),
    ("session undo", &["undo_operation"]),
    ("session wait", &["stream_events", "get_session"]),
    ("slash list", &["list_slash_commands"]),
    ("slash show", &["get_slash_command"]),
    ("template delete", &["delete_template"]),
    ("template export", &["get_template_text"]),
    ("template import", &["import_template"]),
    ("template list", &["list_templates"]),
    ("template save", &["save_template"]),
    ("template show", &["get_template"]),
    ("toolbox check", &["check_toolbox"]),
    ("toolbox list", &["list_tools"]),
    ("toolbox run", &["run_tool"]),
    ("trash empty", &["empty_trash"]),
    ("trash list", &["list_trash"]),
    ("trash restore", &["restore_worktree"]),
    ("worktree adopt", &["adopt_worktree"]),
    ("worktree list", &["list_worktrees"]),
    ("worktree prune", &["prune_worktrees"]),
];

/// Commands that need the terminal or speak of the program itself.
const ONLY_COMMANDS: &[(&str, &str)] = &[
    ("completions", "it speaks of the program itself"),
    ("man", "it speaks of the program itself"),
    (
        "mcp serve",
        "it is a face of its own, for whoever started it",
    ),
    ("serve", "it starts the server"),
    (
        "template edit",
        "it opens an editor; save_template writes what was edited",
    ),
    ("ui", "it shows this API's own page"),
];

/// Operations that a person at a terminal has in another way.
const ONLY_OPERATIONS: &[(&str, &str)] = &[
    (
        "claim_notification",
        "notices on the desktop are shown by runners",
    ),
    ("get_job", "the command line waits for its own work"),
    ("list_jobs", "the command line waits for its own work"),
    ("get_metrics", "figures for a page of charts"),
    ("get_server_metrics", "it speaks of the server itself"),
    ("get_repository", "a person stands in one"),
    (
        "list_notifications",
        "notices on the desktop are shown by runners",
    ),
    ("list_repositories", "a person stands in one"),
];

fn leaves(command: &Command, path: &str, found: &mut BTreeSet<String>) {
    let mut children = command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set())
        .peekable();
    if children.peek().is_none() {
        found.insert(path.to_owned());
    }
    for sub in children {
        leaves(sub, format!("{path} {}", sub.get_name()).trim(), found);
    }
}

/// Commands that are there twice count once, without `session`.
fn commands() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    leaves(&Orchestra::command(), "", &mut found);
    let twice = |path: &String| {
        let short = path.strip_prefix("session ").unwrap_or_default();
        short != "conflicts" && found.contains(short)
    };
    found.iter().filter(|path| !twice(path)).cloned().collect()
}

fn operations() -> BTreeSet<String> {
    let document = serde_json::to_value(orchestra_server::document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let all = paths
        .values()
        .flat_map(|item| item.as_object().unwrap().values());
    all.filter_map(|operation| operation["operationId"].as_str())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_has_its_operations() {
    let known = EQUAL.iter().map(|(command, _)| *command);
    let alone = ONLY_COMMANDS.iter().map(|(command, _)| *command);
    let told: BTreeSet<String> = known.chain(alone).map(str::to_owned).collect();
    assert_eq!(commands(), told);
}

#[test]
fn every_operation_has_its_command() {
    let known = EQUAL.iter().flat_map(|(_, operations)| operations.iter());
    let alone = ONLY_OPERATIONS.iter().map(|(operation, _)| operation);
    let told: BTreeSet<String> = known.chain(alone).map(|it| (*it).to_owned()).collect();
    assert_eq!(operations(), told);
}
