//! Requests about cleanups, the trash and housekeeping.

use std::path::PathBuf;

use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// A session that is to be cleaned up.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct CleanUpSession {
    /// Delete the branch too, if nobody moved it; the trash keeps its commits.
    #[serde(default)]
    pub delete_branch: bool,
    /// Stop what runs in the session first; its work is kept.
    #[serde(default)]
    pub stop: bool,
    /// Also if the work is not part of the base.
    #[serde(default)]
    pub even_unlanded: bool,
    /// Also if something is not committed.
    #[serde(default)]
    pub even_dirty: bool,
    /// Drop its databases too, for good.
    #[serde(default)]
    pub delete_database: bool,
    /// Do not run the command in `commands.teardown`.
    #[serde(default)]
    pub without_teardown: bool,
    /// Allow the commands it runs if they come from the repository's own settings file.
    #[serde(default)]
    pub allow_commands: bool,
}

/// What is to be brought back from the trash.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreWorktree {
    /// A session (id, unique prefix or name), or a name from `list_trash`.
    pub what: String,
}

/// What is to be deleted from the trash for good.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyTrash {
    /// Only that of this repository, by a directory in it; absent: of all.
    #[schema(value_type = Option<String>)]
    pub repository: Option<PathBuf>,
    /// Only what has been there for longer, such as `12h` or `7d`.
    pub older_than: Option<String>,
    /// Only say what would be deleted.
    #[serde(default)]
    pub dry_run: bool,
}

/// Housekeeping that is to be done.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepHouse {
    /// Remove directories that can be made again from sessions at rest.
    #[serde(default)]
    pub regenerable: bool,
    /// Drop databases of sessions that were deleted for good; nothing brings them back.
    #[serde(default)]
    pub delete_databases: bool,
    /// Allow the commands that drop databases if they come from a repository's own settings file.
    #[serde(default)]
    pub allow_commands: bool,
    /// Only say what would be done.
    #[serde(default)]
    pub dry_run: bool,
}
