//! Repositories on the wire.

use std::path::PathBuf;

use orchestra_core::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// Every repository that is known.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RepositoryList {
    /// The newest event it includes.
    pub seq: u64,
    /// By their places.
    pub repositories: Vec<Repository>,
}

/// A repository that had a session or an allowed command.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Repository {
    /// The top directory of its main checkout.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub root: PathBuf,
    /// Whether something is there.
    pub exists: bool,
    /// All its sessions.
    pub sessions: u64,
    /// Those that were put away.
    pub archived_sessions: u64,
    /// When an agent ran in one of them last.
    pub last_run: Option<Timestamp>,
}

/// A repository, seen by somebody who may want a session in it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RepositoryDetail {
    /// The newest event it includes.
    pub seq: u64,
    /// The top directory of its main checkout.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub root: PathBuf,
    /// What is known of it; `null` before its first session.
    pub known: Option<Repository>,
    /// Where it was before it was moved here; `repair` brings its sessions along. `null` if it was not.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub moved_from: Option<PathBuf>,
    /// Whether it has a settings file of its own.
    pub has_settings: bool,
    /// The branch that is checked out.
    pub current_branch: Option<String>,
    /// The branch that sessions start from that name none.
    pub default_base: String,
    /// Likely bases, the default first. No remote was asked.
    pub bases: Vec<BaseBranch>,
    /// Every other local branch that belongs to no session.
    pub branches: Vec<String>,
}

/// A branch that sessions can start from, beside its remote as last fetched.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BaseBranch {
    /// Its name.
    pub name: String,
    /// The commit that a session would start from.
    pub commit: String,
    /// Whether that is the remote's.
    pub is_remote: bool,
    /// Commits that only the local branch has; `null` if one of the two is missing.
    pub ahead: Option<u64>,
    /// Commits that only the remote's has.
    pub behind: Option<u64>,
    /// When the remote was asked last, as far as that is known.
    pub fetched_at: Option<Timestamp>,
    /// The same in words, where there is something to say.
    pub note: Option<String>,
}

/// What was found in a repository, and the settings file proposed for it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct InitProposal {
    /// The repository.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub root: PathBuf,
    /// The settings file.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub file: PathBuf,
    /// Whether the file exists already; it is never replaced.
    pub exists: bool,
    /// What would be written.
    pub content: String,
    /// The command that runs the tests.
    pub test: Option<ProposedCommand>,
    /// The command that makes a new worktree ready.
    pub setup: Option<ProposedValue>,
    /// Ignored directories that a new worktree can share.
    pub reuse: Vec<ProposedValue>,
    /// The command of the dev server.
    pub dev: Option<ProposedValue>,
    /// Ignored files with settings of this machine.
    #[schema(value_type = Vec<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub env_files: Vec<PathBuf>,
    /// The lockfiles that were found.
    pub lockfiles: Vec<String>,
    /// Agents on this machine.
    pub agents: Vec<ProposedAgent>,
}

/// A command, and what speaks for it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ProposedCommand {
    /// The command line.
    pub command: String,
    /// What speaks for it, in words.
    pub why: String,
}

/// A value, and what speaks for it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ProposedValue {
    /// A command line or a directory.
    pub value: String,
    /// What speaks for it, in words.
    pub why: String,
}

/// An agent, in short.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ProposedAgent {
    /// Its name.
    pub name: String,
    /// Its program; `null` if it is not installed.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub program: Option<PathBuf>,
    /// Whether it is logged in, in words.
    pub login: &'static str,
}
