//! What keeps a session from being cleaned up.

use std::path::PathBuf;

use orchestra_core::{BranchName, RunProblem, SessionId, first_of, visible_line};
use orchestra_git::InProgress;
use orchestra_process::{ProcessUsing, Use};

use crate::ErrorClass;
use crate::project_commands::TEARDOWN;

/// A session cannot be cleaned up now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("session {session} is not cleaned up: {}", listed(obstacles))]
pub struct CleanupError {
    /// Which session.
    pub session: SessionId,
    /// Everything that stands in the way.
    pub obstacles: Vec<Obstacle>,
}

/// Something that stands in the way of a cleanup.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// Some of its work is not part of the base.
    #[error("{what} is not part of {base}")]
    Unlanded {
        /// What has not landed: the branch, or what is checked out.
        what: String,
        /// Where it was looked for.
        base: String,
    },
    /// The branch was deleted or renamed, so nobody can tell whether its work landed.
    #[error("{problem}, so it cannot be told whether its work has landed")]
    BranchGone {
        /// What became of it, in words.
        problem: String,
        /// The way out.
        way_out: String,
    },
    /// The worktree lies in the trash, and there is no branch to delete.
    #[error("its worktree is in the trash, and its branch `{0}` is gone already")]
    NoBranch(BranchName),
    /// Something is not committed.
    #[error("{} path(s) have uncommitted changes: {}", .0.len(), shown(.0))]
    Dirty(Vec<PathBuf>),
    /// The session's rebase waits for somebody.
    #[error("its rebase waits at a conflict")]
    Conflicted,
    /// Git is in the middle of something.
    #[error("a {0} is in progress in its worktree")]
    InProgress(InProgress),
    /// Somebody works there.
    #[error("its directory is in use by {}", users(.0))]
    InUse(Vec<ProcessUsing>),
    /// The branch cannot be deleted.
    #[error("`{branch}` is also checked out in {}", place.display())]
    CheckedOutElsewhere {
        /// The branch.
        branch: BranchName,
        /// Where.
        place: PathBuf,
    },
    /// A command of the repository's own settings file would run, and nobody allowed it.
    #[error(
        "`{setting}` comes from the repository's own settings file and is not allowed yet: {command}"
    )]
    NotAllowed {
        /// The setting.
        setting: String,
        /// What would run.
        command: String,
    },
    /// What is set for before a cleanup failed.
    #[error("`commands.teardown` failed{}; its log is {}", why(problem.as_deref()), log.display())]
    TeardownFailed {
        /// What it said.
        log: PathBuf,
        /// Why it was ended, if it did not end by itself.
        problem: Option<Box<RunProblem>>,
    },
    /// Somebody moved the worktree.
    #[error("its worktree was moved to {}", to.display())]
    Moved {
        /// Where it was.
        from: PathBuf,
        /// Where it is.
        to: PathBuf,
    },
    /// Neither the directory nor git's record of it is there.
    #[error("its directory is gone, and git has forgotten it")]
    Gone(BranchName),
}

/// How many names are told.
const TOLD: usize = 5;

impl CleanupError {
    /// A stable code for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.obstacles
            .first()
            .map_or("cleanup.refused", Obstacle::code)
    }

    /// What kind of failure it is. Before a teardown fails, servers were ended, and it may have done a part.
    pub(crate) fn class(&self) -> ErrorClass {
        let is_begun = |it: &Obstacle| matches!(it, Obstacle::TeardownFailed { .. });
        match self.obstacles.iter().any(is_begun) {
            true => ErrorClass::Failed,
            false => ErrorClass::Refused,
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        // Nothing else can be done about a session before its rebase is over.
        let (first, rest): (Vec<_>, Vec<_>) = self
            .obstacles
            .iter()
            .partition(|it| matches!(it, Obstacle::Conflicted));
        let hints = first.into_iter().chain(rest);
        let hints: Vec<String> = hints.map(|it| it.hint(&self.session)).collect();
        (!hints.is_empty()).then(|| hints.join("\n      "))
    }
}

impl Obstacle {
    /// A stable code for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unlanded { .. } | Self::BranchGone { .. } => "cleanup.unlanded",
            Self::Dirty(_) | Self::Conflicted | Self::InProgress(_) => "cleanup.dirty",
            Self::InUse(_) => "cleanup.in_use",
            Self::CheckedOutElsewhere { .. } => "cleanup.branch_checked_out",
            Self::NotAllowed { .. } => "command.not_allowed",
            Self::TeardownFailed { .. } => "cleanup.teardown_failed",
            Self::Moved { .. } => "cleanup.worktree_moved",
            Self::Gone(_) | Self::NoBranch(_) => "cleanup.nothing_left",
        }
    }

    /// What the user can do about it.
    #[must_use]
    pub fn hint(&self, session: &SessionId) -> String {
        match self {
            Self::Unlanded { .. } => format!(
                "land it first with `orchestra session merge {session}`; or pass --even-unlanded: it goes into the trash and can be restored"
            ),
            Self::BranchGone { way_out, .. } => format!(
                "{way_out}; or pass --even-unlanded: the worktree goes into the trash and can be restored"
            ),
            Self::NoBranch(_) => format!(
                "`orchestra trash restore {session}` brings back what is left; `orchestra trash empty` deletes it for good"
            ),
            Self::Dirty(_) => format!(
                "commit them with `orchestra session commit {session}`; or pass --even-dirty: they go into the trash with the worktree and come back with it"
            ),
            Self::Conflicted => format!(
                "finish it first: `orchestra session rebase {session} --continue`, or --abort; or pass --even-dirty: it goes into the trash as it is"
            ),
            Self::InProgress(operation) => format!(
                "finish it first: {}; or pass --even-dirty: it goes into the trash as it is",
                operation.way_out()
            ),
            Self::InUse(_) => "leave the directory and end these programs, then try again; --stop ends the session's own work".to_owned(),
            Self::CheckedOutElsewhere { .. } => {
                "leave out --delete-branch, or switch that checkout to another branch".to_owned()
            }
            Self::NotAllowed { setting, .. } => format!(
                "read it, then run `orchestra commands allow {setting}` in the repository, or `cleanup` with --yes: this very text is allowed from then on{}",
                match setting.as_str() {
                    TEARDOWN => "; `cleanup` with --without-teardown goes on without it",
                    _ => "",
                }
            ),
            Self::TeardownFailed { problem, .. } => {
                let hint = problem.as_ref().and_then(|problem| problem.hint.as_deref());
                let first = hint.unwrap_or("put right what it complains about");
                format!(
                    "its servers were ended, and the worktree stays; {first} and try again, or go on with `orchestra session cleanup {session} --without-teardown`"
                )
            }
            Self::Moved { from, to } => format!(
                "let the session take it with `orchestra session set {session} worktree '{}'`, or move it back: git worktree move '{}' '{}'",
                to.display(),
                to.display(),
                from.display()
            ),
            Self::Gone(branch) => format!(
                "`orchestra session archive {session}` puts the session away; `{branch}` still has its commits"
            ),
        }
    }
}

/// Why a command was ended, to follow that it failed.
fn why(problem: Option<&RunProblem>) -> String {
    problem.map_or_else(String::new, |problem| format!(": {}", problem.message))
}

fn listed(obstacles: &[Obstacle]) -> String {
    let texts: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

fn shown(paths: &[PathBuf]) -> String {
    let named = paths.iter().map(|path| path.display().to_string());
    first_of(named.map(|name| visible_line(&name)), TOLD)
}

fn users(users: &[ProcessUsing]) -> String {
    first_of(users.iter().map(user), TOLD)
}

fn user(user: &ProcessUsing) -> String {
    let how = match &user.why {
        Use::WorkingDirectory(_) => "works there".to_owned(),
        Use::Program(path) => format!("runs {}", path.display()),
        Use::OpenFile(path) => format!("has {} open", path.display()),
    };
    let command: String = visible_line(&user.command).chars().take(60).collect();
    format!("process {} ({command}, {how})", user.pid)
}
