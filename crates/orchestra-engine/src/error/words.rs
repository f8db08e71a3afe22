//! Texts and ways out that depend on more than the kind of failure.

use std::path::{Path, PathBuf};

use orchestra_core::{SETUP_SCRIPT, SessionId, SessionStatus, visible_line};

pub(super) fn trashed_text(session: &SessionId, is_deleted: bool) -> String {
    match is_deleted {
        false => format!("the worktree of session {session} is in the trash"),
        true => format!("the worktree of session {session} was deleted for good"),
    }
}

pub(super) fn nothing_hint(session: &SessionId, nested: &[PathBuf]) -> String {
    let Some(first) = nested.first() else {
        return format!("`orchestra session diff {session}` shows what changed since the base");
    };
    let first = visible_line(&first.to_string_lossy());
    format!(
        "`{first}` is a repository of its own, which is never committed: move its .git away to commit its files, or name \
         it in .gitignore"
    )
}

pub(super) fn rest_hint(runners: &[u32]) -> String {
    let again = "run `orchestra doctor --fix` again";
    if runners.is_empty() {
        return format!("wait until it is done, then {again}");
    }
    let runners: Vec<String> = runners.iter().map(ToString::to_string).collect();
    format!(
        "wait until it is done, or end it with `kill {}` (its work stays in the worktree), then {again}",
        runners.join(" ")
    )
}

pub(super) fn script_missing(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("there is no script called `{name}`"),
        None => {
            "the session has no script of its own, and the repository none called `test`".to_owned()
        }
    }
}

pub(super) fn script_hint(known: &[String], own: Option<&SessionId>) -> String {
    let named = match known {
        [] => "the repository has no named scripts yet".to_owned(),
        known => format!("the repository's scripts are: {}", known.join(", ")),
    };
    let set = "set one under [scripts] in .orchestra/config.toml";
    match own {
        Some(id) => format!("`orchestra session run {id}` runs the session's own; {named}; {set}"),
        None => format!(
            "{named}; {set}, or one for the session with `orchestra session set <session> script \"<command>\"`"
        ),
    }
}

pub(super) fn state_text(status: SessionStatus) -> String {
    match status {
        SessionStatus::AwaitingInput => "waits for an answer".to_owned(),
        SessionStatus::Conflicted => "stopped at a conflict".to_owned(),
        SessionStatus::Error => "has failed".to_owned(),
        SessionStatus::Interrupted => "was interrupted".to_owned(),
        status => format!("is {status}"),
    }
}

pub(super) fn busy_text(
    session: &SessionId,
    status: SessionStatus,
    script: Option<&str>,
) -> String {
    match (status, script) {
        (SessionStatus::Unknown, _) => {
            format!("it cannot be told whether something works on the session {session}")
        }
        (status, Some(SETUP_SCRIPT)) if status.is_active() => {
            format!("the session {session} is {status}: its set-up runs")
        }
        (status, Some(script)) if status.is_active() => {
            format!("the session {session} is {status}: the script `{script}` runs")
        }
        (status, _) if status.is_active() => format!("the session {session} is {status}"),
        _ => format!("another command works on the session {session}"),
    }
}

pub(super) fn busy_hint(session: &SessionId, status: SessionStatus) -> String {
    match status {
        SessionStatus::Unknown => "check who owns the data directory and whether its `leases` folder can be read; `orchestra doctor` tells more".to_owned(),
        status if status.is_active() => format!(
            "follow it with `orchestra session attach {session}`, or end it with `orchestra session stop {session}`"
        ),
        _ => "try again when it is done".to_owned(),
    }
}

pub(super) fn io_hint(source: &std::io::Error) -> Option<String> {
    match source.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            Some("free some space and run the command again".to_owned())
        }
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            Some("check who owns the directory and whether it can be written".to_owned())
        }
        _ => None,
    }
}

pub(super) fn loss_of(worktree: &Path) -> &'static str {
    if worktree.exists() {
        "has lost git's link"
    } else {
        "is missing"
    }
}
