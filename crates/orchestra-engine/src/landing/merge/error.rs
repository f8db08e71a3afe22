//! Why work cannot land.

use orchestra_core::{
    BranchName, Caller, CheckLine, CheckName, CommitId, RemoteName, SessionId, first_of,
};
use orchestra_git::{MergeResult, PushError, RewriteError};

use super::in_conflict::{InConflict, files_of};
use crate::ErrorClass;
use crate::error::push_class;

/// How many files of a conflict are named.
const NAMED: usize = 8;

/// Why work cannot land. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// The branch has nothing that the base has not.
    #[error("the session {session} has no commit that `{into}` does not have")]
    Nothing {
        /// Which session.
        session: SessionId,
        /// Where it should land.
        into: BranchName,
    },
    /// It has landed, and got nothing since.
    #[error("the session {session} has landed in `{into}` already, with {}", commit.short())]
    Landed {
        /// Which session.
        session: SessionId,
        /// Where.
        into: BranchName,
        /// With which commit.
        commit: CommitId,
    },
    /// Both changed the same files in ways that do not go together.
    #[error("the session {session} conflicts with `{into}` in {}", named(files))]
    Conflicts {
        /// Which session.
        session: SessionId,
        /// Where it should land.
        into: BranchName,
        /// The files.
        files: Vec<InConflict>,
    },
    /// The base has commits of its own.
    #[error("`{into}` has {behind} commit(s) that session {session} does not have")]
    NotFastForward {
        /// Which session.
        session: SessionId,
        /// Where it should land.
        into: BranchName,
        /// How many commits.
        behind: u64,
    },
    /// The settings say that no merge may move this branch.
    #[error("the branch `{branch}` is protected by git.protected_branches (`{pattern}`)")]
    Protected {
        /// The branch.
        branch: BranchName,
        /// What protects it.
        pattern: String,
    },
    /// The branch was deleted or renamed, or exists at the remote only.
    #[error("there is no branch `{branch}` here{}", at_remote(remote.as_ref()))]
    NoBranch {
        /// The branch.
        branch: BranchName,
        /// The remote that has it.
        remote: Option<RemoteName>,
        /// Which session.
        session: SessionId,
    },
    /// Local and remote branch both have commits the other has not.
    #[error(
        "`{branch}` and `{remote}/{branch}` have diverged: {ahead} commit(s) here, {behind} there"
    )]
    Diverged {
        /// The branch.
        branch: BranchName,
        /// The remote.
        remote: RemoteName,
        /// Only here.
        ahead: u64,
        /// Only there.
        behind: u64,
    },
    /// A branch cannot land on itself.
    #[error("`{branch}` is the branch of session {session} itself")]
    OwnBranch {
        /// The branch.
        branch: BranchName,
        /// Which session.
        session: SessionId,
    },
    /// A commit that was chosen is not one of the session's own.
    #[error("`{text}` is not one commit of session {session}")]
    NoSuchCommit {
        /// What was given.
        text: String,
        /// Which session.
        session: SessionId,
    },
    /// Required checks fail.
    #[error("the session {session} is not ready to land: {}", told(failed))]
    Checks {
        /// Which session.
        session: SessionId,
        /// What fails.
        failed: Vec<CheckLine>,
        /// What fails too and was to be passed over.
        overridden: Vec<CheckName>,
        /// Who wanted it to land, if not the user, who alone passes over checks.
        caller: Option<Caller>,
    },
    /// Others may have built on it.
    #[error("`{remote_branch}` has {} already, so the merge into `{branch}` stays", commit.short())]
    Pushed {
        /// The branch it landed in.
        branch: BranchName,
        /// What it landed as.
        commit: CommitId,
        /// Who has it.
        remote_branch: String,
    },
    /// The work is part of the branch here, but the remote did not get it.
    #[error("`{branch}` was not pushed")]
    NotPushed {
        /// Which session.
        session: SessionId,
        /// The branch it landed in.
        branch: BranchName,
        /// Why.
        #[source]
        source: Box<PushError>,
    },
    /// Sessions wait for each other.
    #[error("these sessions depend on each other in a circle: {}", sessions.join(", "))]
    Circle {
        /// Their names.
        sessions: Vec<String>,
    },
    /// Others land there all the time.
    #[error("`{into}` has moved {times} times while session {session} was tested on top of it")]
    BaseMoves {
        /// Which session.
        session: SessionId,
        /// Where it should land.
        into: BranchName,
        /// How often.
        times: u32,
    },
    /// The commits cannot become one.
    #[error(transparent)]
    Rewrite(#[from] RewriteError),
    /// Sessions of one repository land together.
    #[error("the sessions belong to several repositories")]
    SeveralRepositories,
}

impl MergeError {
    pub(crate) fn conflicts(session: &SessionId, into: &BranchName, merge: &MergeResult) -> Self {
        Self::Conflicts {
            session: session.clone(),
            into: into.clone(),
            files: files_of(merge),
        }
    }

    /// A stable code for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Nothing { .. } => "merge.nothing",
            Self::Landed { .. } => "merge.landed",
            Self::Conflicts { .. } => "merge.conflicts",
            Self::NotFastForward { .. } => "merge.not_fast_forward",
            Self::Protected { .. } => "merge.protected",
            Self::NoBranch { .. } => "merge.no_branch",
            Self::Diverged { .. } => "merge.diverged",
            Self::OwnBranch { .. } => "merge.own_branch",
            Self::NoSuchCommit { .. } => "merge.no_such_commit",
            Self::Checks { .. } => "merge.checks",
            Self::Pushed { .. } => "merge.pushed",
            Self::NotPushed { source, .. } => source.code(),
            Self::Circle { .. } => "land.circle",
            Self::BaseMoves { .. } => "land.base_moves",
            Self::Rewrite(error) => error.code(),
            Self::SeveralRepositories => "land.several_repositories",
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Nothing { session, .. } => {
                format!("`orchestra session log {session}` shows what is on its branch")
            }
            Self::Landed { session, .. } => {
                format!("`orchestra session undo {session}` takes it back")
            }
            Self::Conflicts { session, into, .. } => format!(
                "`orchestra session rebase {session} --onto {into}` stops at the conflict, so that you or the agent can resolve it"
            ),
            Self::NotFastForward { session, into, .. } => format!(
                "`orchestra session rebase {session} --onto {into}` first, or leave out --ff-only"
            ),
            Self::Protected { .. } => {
                "open a pull request with `orchestra session pr`, or land elsewhere with --into <branch>".to_owned()
            }
            Self::NoBranch {
                branch,
                remote: Some(remote),
                ..
            } => format!("`git branch {branch} {remote}/{branch}` makes it"),
            Self::NoBranch { .. } => {
                "if it was renamed, name the new one with --into <branch>; `git branch` lists them".to_owned()
            }
            Self::Diverged { branch, remote, .. } => format!(
                "bring them together first, such as with `git switch {branch}` and `git pull --rebase {remote} {branch}`"
            ),
            Self::OwnBranch { .. } => "name another branch with --into".to_owned(),
            Self::NoSuchCommit { session, .. } => {
                format!("`orchestra session log {session}` lists its commits; give enough digits of one")
            }
            Self::Checks {
                session,
                failed,
                overridden,
                caller: None,
            } => check_hint(session, failed, overridden),
            Self::Checks { failed, .. } => ways_out(failed).join("\n      "),
            Self::Pushed { commit, .. } => {
                format!(
                    "take it back for everybody with `git revert {}`, with `-m 1` if that is a merge",
                    commit.short()
                )
            }
            // The base is shared: what others have there is never replaced.
            Self::NotPushed {
                session,
                branch,
                source,
            } if matches!(**source, PushError::WouldLose { .. }) => format!(
                "land on top of them: `orchestra session undo {session}`, then `orchestra session merge {session} --push`; where more than this session is not pushed, `git pull` and `git push` in the checkout of `{branch}`"
            ),
            Self::NotPushed { source, .. } => return source.hint(),
            Self::Circle { .. } => "leave out one of the dependencies".to_owned(),
            Self::BaseMoves { session, .. } => format!(
                "`orchestra session land {session}` when it is quieter; it is on top of the base as it was last"
            ),
            Self::Rewrite(error) => return error.hint(),
            Self::SeveralRepositories => "land those of one repository at a time".to_owned(),
        })
    }

    pub(crate) const fn class(&self) -> ErrorClass {
        match self {
            Self::NoSuchCommit { .. }
            | Self::OwnBranch { .. }
            | Self::Circle { .. }
            | Self::SeveralRepositories => ErrorClass::Usage,
            Self::Conflicts { .. } => ErrorClass::Conflicts,
            Self::Nothing { .. }
            | Self::Landed { .. }
            | Self::NotFastForward { .. }
            | Self::Protected { .. }
            | Self::NoBranch { .. }
            | Self::Diverged { .. }
            | Self::Checks { .. }
            | Self::Pushed { .. }
            | Self::BaseMoves { .. }
            | Self::Rewrite(
                RewriteError::NothingToSquash
                | RewriteError::Unrelated { .. }
                | RewriteError::Merges(_),
            ) => ErrorClass::Refused,
            Self::NotPushed { source, .. } => push_class(source),
            Self::Rewrite(RewriteError::Git(_)) => ErrorClass::Failed,
        }
    }
}

fn named(files: &[InConflict]) -> String {
    first_of(files.iter().map(ToString::to_string), NAMED)
}

fn at_remote(remote: Option<&RemoteName>) -> String {
    remote.map_or_else(String::new, |remote| format!(", only at `{remote}`"))
}

fn told(failed: &[CheckLine]) -> String {
    let lines: Vec<_> = failed
        .iter()
        .map(|line| format!("{} ({})", line.name, line.text))
        .collect();
    lines.join("; ")
}

/// What helps each of them.
fn ways_out(failed: &[CheckLine]) -> Vec<String> {
    let hints = failed
        .iter()
        .filter_map(|line| Some(format!("{}: {}", line.name, line.hint.as_ref()?)));
    hints.collect()
}

/// What helps each of them, and how they are passed over.
fn check_hint(session: &SessionId, failed: &[CheckLine], overridden: &[CheckName]) -> String {
    let mut lines = ways_out(failed);
    let names = overridden.iter().copied();
    let names = names.chain(failed.iter().map(|line| line.name));
    let names: Vec<_> = names.map(|name| format!("--override {name}")).collect();
    lines.push(format!(
        "or pass over them: `orchestra session merge {session} {}`",
        names.join(" ")
    ));
    lines.join("\n      ")
}
