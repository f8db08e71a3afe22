//! What kind of failure an error is, which decides the exit code.

use orchestra_agents::AgentError;
use orchestra_config::ConfigError;
use orchestra_git::{
    AdvanceError, CommitError, GitError, OpenError, PushError, SnapshotError, TrashError,
    WorktreeError,
};

use orchestra_process::ProcessError;

use super::EngineError;
use crate::runtime::RuntimeError;

/// What kind of failure it is; the command line turns it into an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// It went wrong.
    Failed,
    /// What was asked for makes no sense.
    Usage,
    /// It was refused, so that nothing is lost or mixed up.
    Refused,
    /// Conflicts are in the way; nothing was changed.
    Conflicts,
    /// The agent cannot be used.
    Agent,
    /// It had been done already.
    Finished,
}

impl EngineError {
    /// What kind of failure it is.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::FinishedBefore { .. } => ErrorClass::Finished,
            Self::History(error) => error.class(),
            Self::Cleanup(error) => error.class(),
            Self::Environment(error) => error.class(),
            Self::Agent(AgentError::Unknown { .. })
            | Self::Runtime(RuntimeError::UnknownEnvironment { .. })
            | Self::Commit(CommitError::NoSuchPath(_) | CommitError::OutsideWorktree { .. }) => {
                ErrorClass::Usage
            }
            Self::Agent(AgentError::AsksNobody { .. }) => ErrorClass::Refused,
            Self::Agent(_) => ErrorClass::Agent,
            Self::Merge(error) => error.class(),
            Self::Template(error) => error.class(),
            Self::Data(error) => error.class(),
            Self::File(error) => error.class(),
            Self::Config(ConfigError::Uncreatable { .. }) => ErrorClass::Failed,
            Self::Slash(_)
            | Self::Name(_)
            | Self::Branch(_)
            | Self::Pattern(_)
            | Self::Config(_)
            | Self::SessionNotFound { .. }
            | Self::SessionAmbiguous { .. }
            | Self::ScriptMissing { .. }
            | Self::IterationMissing { .. }
            | Self::Invalid { .. } => ErrorClass::Usage,
            Self::Trash(TrashError::NoSuchEntry(_)) => ErrorClass::Usage,
            Self::Workspace(_) | Self::Process(ProcessError::Sandbox(_)) => ErrorClass::Refused,
            Self::NameTaken { .. }
            | Self::NameIsId { .. }
            | Self::Reserved { .. }
            | Self::WorktreeTaken { .. }
            | Self::AtWork { .. }
            | Self::RepositoryMissing { .. }
            | Self::RepositoryMoved { .. }
            | Self::RepositoryUnusable { .. }
            | Self::Busy { .. }
            | Self::WrongState { .. }
            | Self::WorktreeMissing { .. }
            | Self::NoWindow { .. }
            | Self::StillThere { .. }
            | Self::OtherBranch { .. }
            | Self::BranchGone { .. }
            | Self::NothingToCommit { .. } => ErrorClass::Refused,
            Self::Push(error) => push_class(error),
            Self::Trash(TrashError::Damaged { .. }) => ErrorClass::Failed,
            Self::Open(OpenError::Git(error))
            | Self::Commit(CommitError::Git(error))
            | Self::Git(error) => git_class(error),
            Self::Trash(TrashError::Worktree(error)) | Self::Worktree(error) => {
                worktree_class(error)
            }
            Self::Open(_)
            | Self::Trash(_)
            | Self::Command(_)
            | Self::Runtime(_)
            | Self::Grant(_)
            | Self::Setup(_)
            | Self::Disk(_)
            | Self::GcRuns
            | Self::BackupRuns
            | Self::InTrash { .. }
            | Self::Commit(_)
            | Self::SnapshotGone { .. }
            | Self::Advance(
                AdvanceError::Moved { .. }
                | AdvanceError::Busy { .. }
                | AdvanceError::CheckedOutTwice { .. }
                | AdvanceError::CheckoutChanged(_)
                | AdvanceError::Locked(_)
                | AdvanceError::Files { .. },
            )
            | Self::Snapshot(
                SnapshotError::HeadMoved { .. }
                | SnapshotError::InTheWay(_)
                | SnapshotError::StagedInTheWay(_)
                | SnapshotError::BranchMoved(_)
                | SnapshotError::ChangedMeanwhile(_),
            ) => ErrorClass::Refused,
            Self::Advance(AdvanceError::Git(_))
            | Self::Snapshot(SnapshotError::Git(_) | SnapshotError::Damaged(_))
            | Self::Store(_)
            | Self::Process(_)
            | Self::Mcp(_)
            | Self::Io { .. }
            | Self::HalfMade { .. }
            | Self::Records { .. }
            | Self::RunnerFailed { .. } => ErrorClass::Failed,
        }
    }
}

/// What is not there is refused; where git or the disk fails, something may have been done.
const fn git_class(error: &GitError) -> ErrorClass {
    match error {
        GitError::NoSuchRevision(_)
        | GitError::NoSuchBranch { .. }
        | GitError::WorktreeMissing(_) => ErrorClass::Refused,
        _ => ErrorClass::Failed,
    }
}

const fn worktree_class(error: &WorktreeError) -> ErrorClass {
    match error {
        WorktreeError::Git(error) => git_class(error),
        WorktreeError::LeftBehind { .. } => ErrorClass::Failed,
        _ => ErrorClass::Refused,
    }
}

/// What kind of failure a push is that did not take place.
pub(crate) const fn push_class(error: &PushError) -> ErrorClass {
    match error {
        PushError::TimedOut(_) | PushError::Failed { .. } | PushError::Git(_) => ErrorClass::Failed,
        PushError::NoRemote { .. }
        | PushError::Url(_)
        | PushError::WouldLose { .. }
        | PushError::RemoteMoved { .. }
        | PushError::Rejected { .. } => ErrorClass::Refused,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_disk_that_fails_is_no_refusal() {
        let failed = || GitError::Io {
            path: "/x".into(),
            source: io::ErrorKind::StorageFull.into(),
        };
        for error in [
            EngineError::from(CommitError::from(failed())),
            WorktreeError::from(failed()).into(),
            OpenError::from(failed()).into(),
            TrashError::from(WorktreeError::from(failed())).into(),
        ] {
            assert_eq!(error.class(), ErrorClass::Failed, "{error:?}");
        }
        let missing = || GitError::NoSuchRevision("x".to_owned());
        let error = EngineError::from(WorktreeError::from(missing()));
        assert_eq!(error.class(), ErrorClass::Refused);
    }
}
