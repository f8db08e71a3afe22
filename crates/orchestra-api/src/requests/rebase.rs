//! Requests about the commits of a session: squash, rebase, resolve.

use std::path::PathBuf;

use serde::Deserialize;
use utoipa::ToSchema;

/// Commits that are to become one.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SquashSession {
    /// What the commit says.
    pub message: String,
    /// Keep commits that a person made.
    #[serde(default)]
    pub keep_manual: bool,
}

/// A session that is to be put onto its base.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RebaseSession {
    /// Another branch than its base, which becomes its base.
    pub onto: Option<String>,
}

/// What becomes of a rebase that waits at a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RebaseStep {
    /// Commit what was resolved and go on.
    Continue,
    /// Leave out the commit that does not fit and go on.
    Skip,
    /// Give the rebase up; everything is as before it.
    Abort,
}

/// A conflict that is to be decided.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveConflict {
    /// The file, from the top of the worktree.
    #[schema(value_type = String)]
    pub path: PathBuf,
    /// What is taken.
    pub with: ResolveWith,
    /// With `edited`: what the file is to say. Absent: the file is taken as it is in the worktree.
    pub content: Option<String>,
}

/// A lockfile that is to be made again.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegenerateLockfile {
    /// The file, from the top of the worktree.
    #[schema(value_type = String)]
    pub path: PathBuf,
    /// Allow the script `install` if it comes from the repository's own settings file.
    #[serde(default)]
    pub allow_commands: bool,
}

/// What a conflict is decided with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResolveWith {
    /// The base's version, which may be that there is no such file.
    Ours,
    /// The session's version, which may be that there is no such file.
    Theirs,
    /// The file as somebody edited it.
    Edited,
    /// There is to be no such file.
    Delete,
}
