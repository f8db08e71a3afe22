//! Operations: what was done to a session that can be undone.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    BranchName, Caller, CommitId, IterationNumber, Landing, PassedOver, SessionId, SnapshotName,
    Timestamp, TrashName,
};

/// An operation's number in the store: later ones have higher numbers.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
)]
#[serde(transparent)]
pub struct OperationId(pub i64);

/// One thing that was done to a session. Its row is written before, so that what was cut off can be settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its key.
    pub key: OperationId,
    /// Whose it is.
    pub session: SessionId,
    /// What was done.
    pub kind: OperationKind,
    /// What became of it.
    pub state: OperationState,
    /// What it changed outside of the store.
    pub change: Change,
    /// What was recorded of the session before.
    pub before: Landing,
    /// What is recorded of the session after.
    pub after: Landing,
    /// The snapshot of the state before.
    pub snapshot: Option<SnapshotName>,
    /// The operation this one undoes or does again.
    pub undoes: Option<OperationId>,
    /// The iteration whose uncommitted changes it threw away.
    pub iteration: Option<IterationNumber>,
    /// What a person chose to pass over.
    pub overridden: Vec<PassedOver>,
    /// What happened, for people.
    pub summary: String,
    /// Who asked for it; `None` if it was the user.
    pub caller: Option<Caller>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    /// Changes of a person were committed.
    Commit,
    /// Uncommitted changes were thrown away.
    Discard,
    /// Commits became one.
    Squash,
    /// Commits were put onto another one, or a step of that.
    Rebase,
    /// A conflict in a file was resolved.
    Resolve,
    /// The work became part of a branch.
    Merge,
    /// A branch was sent to a remote.
    Push,
    /// The worktree was moved into the trash.
    Cleanup,
    /// An operation was undone.
    Undo,
    /// An operation that was undone was done again.
    Redo,
}

/// What became of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationState {
    /// It was begun, and its end is not recorded.
    Open,
    /// It was done and lasts.
    Done,
    /// It was done and undone.
    Undone,
    /// It did not take place, or was taken back.
    Failed,
    /// It was cut off, and could be neither finished nor taken back, or nobody can tell whether it took place.
    Unknown,
}

/// What an operation changes outside of the store, with what identifies it in the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// A branch moved between commits with the same files; index and files stay.
    Branch {
        /// The branch.
        branch: BranchName,
        /// Where it was.
        from: CommitId,
        /// Where it goes.
        to: CommitId,
    },
    /// A branch moved together with the files of the checkout that has it.
    Checkout {
        /// The branch.
        branch: BranchName,
        /// Where it was.
        from: CommitId,
        /// Where it goes.
        to: CommitId,
    },
    /// A branch moved and files stay; the index belongs to the new commit.
    Index {
        /// The branch.
        branch: BranchName,
        /// Where it was.
        from: CommitId,
        /// Where it goes.
        to: CommitId,
        /// The snapshot whose index belongs to the new commit; `None` where git wrote it.
        index: Option<SnapshotName>,
    },
    /// Anything in the worktree, what git is in the middle of included.
    Worktree {
        /// The snapshot that is brought back, if that is what happens.
        restoring: Option<SnapshotName>,
    },
    /// The worktree went into the trash, or came back from it.
    Trash {
        /// What it is called in the trash.
        entry: TrashName,
        /// Whether it goes there, or comes back.
        into: bool,
        /// The branch that is deleted with it, or made again.
        branch: Option<TrashedBranch>,
    },
    /// The branch of a worktree that lies in the trash was deleted, or made again.
    TrashedBranch {
        /// What the worktree is called in the trash.
        entry: TrashName,
        /// Whether it is deleted, or made again.
        deleted: bool,
        /// The branch.
        branch: TrashedBranch,
    },
    /// Something that cannot be taken back.
    Lasting,
}

impl Change {
    /// The entry of the trash that it is about.
    #[must_use]
    pub const fn trash_entry(&self) -> Option<&TrashName> {
        match self {
            Self::Trash { entry, .. } | Self::TrashedBranch { entry, .. } => Some(entry),
            Self::Branch { .. }
            | Self::Checkout { .. }
            | Self::Index { .. }
            | Self::Worktree { .. }
            | Self::Lasting => None,
        }
    }

    /// Follows a branch that was renamed. Answers whether it is about that branch.
    pub fn rename_branch(&mut self, old: &BranchName, new: &BranchName) -> bool {
        match self {
            Self::Branch { branch, .. }
            | Self::Checkout { branch, .. }
            | Self::Index { branch, .. }
                if *branch == *old =>
            {
                branch.clone_from(new);
                true
            }
            Self::Branch { .. }
            | Self::Checkout { .. }
            | Self::Index { .. }
            | Self::Worktree { .. }
            | Self::Trash { .. }
            | Self::TrashedBranch { .. }
            | Self::Lasting => false,
        }
    }
}

/// A branch that is deleted together with its worktree, or after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct TrashedBranch {
    /// The branch.
    pub name: BranchName,
    /// Where it was.
    pub commit: CommitId,
}

impl Operation {
    /// Whether `undo` takes it back while it lasts.
    #[must_use]
    pub fn can_be_undone(&self) -> bool {
        self.kind.can_be_undone() && self.change != Change::Lasting
    }

    /// Whether it is a step of a rebase that was finished with git, and goes with that.
    fn is_part_of_another(&self) -> bool {
        let is_step = matches!(self.kind, OperationKind::Rebase | OperationKind::Resolve);
        is_step && self.change == Change::Lasting
    }

    /// Whether what it needs to be undone was removed after its time.
    #[must_use]
    pub fn is_too_old(&self) -> bool {
        let needs_snapshot = self.change.trash_entry().is_none();
        self.can_be_undone() && needs_snapshot && self.snapshot.is_none()
    }
}

impl OperationKind {
    const ALL: [Self; 10] = [
        Self::Commit,
        Self::Discard,
        Self::Squash,
        Self::Rebase,
        Self::Resolve,
        Self::Merge,
        Self::Push,
        Self::Cleanup,
        Self::Undo,
        Self::Redo,
    ];

    /// The short name used in the store, in `--json` and on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Discard => "discard",
            Self::Squash => "squash",
            Self::Rebase => "rebase",
            Self::Resolve => "resolve",
            Self::Merge => "merge",
            Self::Push => "push",
            Self::Cleanup => "cleanup",
            Self::Undo => "undo",
            Self::Redo => "redo",
        }
    }

    /// Whether `undo` takes it back. What undid something is taken back by `redo`.
    #[must_use]
    pub const fn can_be_undone(self) -> bool {
        match self {
            Self::Commit
            | Self::Discard
            | Self::Squash
            | Self::Rebase
            | Self::Resolve
            | Self::Merge
            | Self::Cleanup => true,
            Self::Push | Self::Undo | Self::Redo => false,
        }
    }
}

impl OperationState {
    const ALL: [Self; 5] = [
        Self::Open,
        Self::Done,
        Self::Undone,
        Self::Failed,
        Self::Unknown,
    ];

    /// The short name used in the store, in `--json` and on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Undone => "undone",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// The text names no kind or state of an operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names nothing that operations know")]
pub struct UnknownOperationWord(String);

impl FromStr for OperationKind {
    type Err = UnknownOperationWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| UnknownOperationWord(text.to_owned()))
    }
}

impl FromStr for OperationState {
    type Err = UnknownOperationWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|state| state.name() == text);
        found.ok_or_else(|| UnknownOperationWord(text.to_owned()))
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Display for OperationKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl fmt::Display for OperationState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// The newest operation that `undo` would take back.
#[must_use]
pub fn next_undo(operations: &[Operation]) -> Option<&Operation> {
    operations
        .iter()
        .rev()
        .find(|operation| operation.state == OperationState::Done && operation.can_be_undone())
}

/// The newest undoing that `redo` would take back: none if something else was done since what was undone.
#[must_use]
pub fn next_redo(operations: &[Operation]) -> Option<&Operation> {
    let is_done = |operation: &&Operation| operation.state == OperationState::Done;
    let mut done = operations.iter().rev().filter(is_done);
    let undo = done.find(|operation| operation.kind == OperationKind::Undo)?;
    let mut since = operations.iter().filter(is_done).filter(|operation| {
        let is_later = operation.key > undo.undoes.unwrap_or(undo.key);
        is_later && operation.kind.can_be_undone() && !operation.is_part_of_another()
    });
    since.next().is_none().then_some(undo)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was done, what undo takes back, what redo takes back.
    type Case = (
        &'static [(OperationKind, OperationState)],
        Option<i64>,
        Option<i64>,
    );

    fn operations(list: &[(OperationKind, OperationState)]) -> Vec<Operation> {
        let commit: CommitId = "a".repeat(40).parse().unwrap();
        let landing = Landing {
            base_branch: "main".parse().unwrap(),
            base_remote: None,
            base_commit: commit,
            landed: None,
            rebase: None,
            trash: None,
        };
        let row = |(index, (kind, state)): (usize, &(OperationKind, OperationState))| Operation {
            key: OperationId(i64::try_from(index).unwrap()),
            session: SessionId::from_random([0; 8]),
            kind: *kind,
            state: *state,
            change: Change::Worktree { restoring: None },
            before: landing.clone(),
            after: landing.clone(),
            snapshot: None,
            undoes: None,
            iteration: None,
            overridden: Vec::new(),
            summary: String::new(),
            caller: None,
            started_at: Timestamp::UNIX_EPOCH,
            finished_at: None,
        };
        list.iter().enumerate().map(row).collect()
    }

    #[test]
    fn words_are_read_again() {
        for kind in OperationKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        for state in OperationState::ALL {
            assert_eq!(state.to_string().parse(), Ok(state));
            assert_eq!(serde_json::to_value(state).unwrap(), state.name());
        }
        assert!("nothing".parse::<OperationKind>().is_err());
        assert!("nothing".parse::<OperationState>().is_err());
    }

    #[test]
    fn what_lasts_is_passed_over() {
        use OperationKind::{Cleanup, Commit};
        use OperationState::Done;
        let mut operations = operations(&[(Commit, Done), (Cleanup, Done)]);
        assert_eq!(next_undo(&operations).map(|found| found.key.0), Some(1));
        operations[1].change = Change::Lasting;
        assert_eq!(next_undo(&operations).map(|found| found.key.0), Some(0));
    }

    #[test]
    fn what_was_undone_out_of_turn_is_not_done_again() {
        use OperationKind::{Cleanup, Merge, Undo};
        use OperationState::{Done, Undone};
        let mut operations = operations(&[(Cleanup, Undone), (Merge, Done), (Undo, Done)]);
        operations[2].undoes = Some(OperationId(0));
        assert_eq!(next_undo(&operations).map(|found| found.key.0), Some(1));
        assert_eq!(next_redo(&operations), None);
    }

    #[test]
    fn undo_and_redo_walk_the_same_way() {
        use OperationKind::{Commit, Push, Redo, Squash, Undo};
        use OperationState::{Done, Failed, Undone, Unknown};
        let cases: &[Case] = &[
            (&[], None, None),
            (
                &[(Commit, Done), (Squash, Done), (Push, Done)],
                Some(1),
                None,
            ),
            (&[(Commit, Done), (Squash, Failed)], Some(0), None),
            (&[(Commit, Done), (Squash, Unknown)], Some(0), None),
            (
                &[(Commit, Done), (Squash, Undone), (Undo, Done)],
                Some(0),
                Some(2),
            ),
            (
                &[
                    (Commit, Undone),
                    (Squash, Undone),
                    (Undo, Done),
                    (Undo, Done),
                ],
                None,
                Some(3),
            ),
            (
                &[
                    (Commit, Done),
                    (Squash, Undone),
                    (Undo, Done),
                    (Undo, Undone),
                    (Redo, Done),
                ],
                Some(0),
                Some(2),
            ),
            (
                &[(Commit, Undone), (Undo, Done), (Squash, Done)],
                Some(2),
                None,
            ),
            (
                &[(Commit, Undone), (Undo, Done), (Push, Done)],
                None,
                Some(1),
            ),
        ];
        for (list, undo, redo) in cases {
            let operations = operations(list);
            assert_eq!(
                next_undo(&operations).map(|found| found.key.0),
                *undo,
                "{list:?}"
            );
            assert_eq!(
                next_redo(&operations).map(|found| found.key.0),
                *redo,
                "{list:?}"
            );
        }
    }
}
