//! Operations: the way everything goes that changes a session's git state on request. A snapshot is taken, the operation is
//! written down, its effect is done, and the end is written down together with what it means for the session. An operation
//! whose end is missing is settled by asking git.

mod settle;
mod undo;
mod unheard;

use std::path::PathBuf;

use orchestra_core::{
    BranchName, Change, CommitId, EventBody, InvalidSnapshotName, IterationNumber, Landing,
    Operation, OperationId, OperationKind, OperationState, PassedOver, Session, SessionId,
    SnapshotName,
};
use orchestra_git::{
    Advance, AdvanceError, AdvanceStep, CommitError, GitError, Moved, PushError, RefMove,
    Repository, Snapshot, SnapshotRequest, SnapshotScope, TrashError, Worktree,
};
use orchestra_store::{Durability, NewOperation, Tx};

pub(crate) use settle::kept_apart;
pub use undo::Undone;
pub(crate) use undo::summary;

use crate::landing::MergeError;
use crate::view::tell_status;
use crate::{Engine, EngineError};

/// The line in the reflog of a branch that an operation moves.
const REFLOG: &str = "orchestra: operation on a session";

/// Whether whoever asked for an operation hears of its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Heard,
    /// It was cut off or failed, and took place all the same.
    Unheard,
}

/// An operation before it begins.
pub(crate) struct Draft<'a> {
    pub(crate) session: &'a Session,
    pub(crate) kind: OperationKind,
    pub(crate) change: Change,
    /// What is recorded of the session once it is done.
    pub(crate) after: Landing,
    pub(crate) snapshot: Option<&'a Snapshot>,
    pub(crate) undoes: Option<OperationId>,
    pub(crate) iteration: Option<IterationNumber>,
    pub(crate) overridden: &'a [PassedOver],
    pub(crate) summary: String,
}

impl<'a> Draft<'a> {
    /// One that changes nothing of what is recorded.
    pub(crate) fn new(
        session: &'a Session,
        kind: OperationKind,
        change: Change,
        summary: String,
    ) -> Self {
        Self {
            session,
            kind,
            change,
            after: session.landing(),
            snapshot: None,
            undoes: None,
            iteration: None,
            overridden: &[],
            summary,
        }
    }
}

impl Engine {
    /// What was done to a session, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn operations(&self, id: &SessionId) -> Result<Vec<Operation>, EngineError> {
        self.store
            .read(|tx| Ok::<_, EngineError>(tx.operations(id)?))
    }

    /// Whether an operation is a merge that a remote has, so that it stays.
    ///
    /// # Errors
    /// If git or the store fails.
    pub fn is_pushed(&self, operation: &Operation) -> Result<bool, EngineError> {
        let session = self.session(&operation.session)?.session;
        match self.require_unpushed(&session, operation) {
            Err(EngineError::Merge(MergeError::Pushed { .. })) => Ok(true),
            unpushed => unpushed.map(|()| false),
        }
    }

    /// Where the state before an operation is kept.
    #[must_use]
    pub fn snapshot_folder(&self, operation: &Operation) -> Option<PathBuf> {
        let kept = self.kept_for(operation).ok()?;
        Some(kept.folder().to_owned())
    }

    /// Does it, written down before and after. What fails half-way is settled at once.
    pub(crate) fn operate<T>(
        &self,
        draft: &Draft<'_>,
        effect: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.operate_toward(draft, || Ok((effect()?, draft.after.clone())))
    }

    /// The same, where only the effect tells what it means for the session.
    pub(crate) fn operate_toward<T>(
        &self,
        draft: &Draft<'_>,
        effect: impl FnOnce() -> Result<(T, Landing), EngineError>,
    ) -> Result<T, EngineError> {
        let operation = self.begin(draft)?;
        self.failpoint(draft.kind, "intended");
        match effect() {
            Ok((answer, after)) => {
                self.failpoint(draft.kind, "done");
                let durability = match after == operation.after {
                    true => durability_of_end(&operation.change),
                    false => Durability::State,
                };
                let operation = Operation { after, ..operation };
                self.finish(&operation, Told::Heard, durability)?;
                Ok(answer)
            }
            Err(error) => {
                self.settle_failed(draft.session, &operation, &error);
                Err(error)
            }
        }
    }

    /// Takes a snapshot of a session's worktree, under a name of its own.
    pub(crate) fn take_snapshot(
        &self,
        session: &Session,
        worktree: &Worktree,
        scope: SnapshotScope,
    ) -> Result<Snapshot, EngineError> {
        let request = SnapshotRequest {
            folder: &self.new_snapshot_folder(&session.id)?,
            scope,
            branch: &session.branch,
            known: &session.base_commit,
        };
        let after_file = || self.failpoints.pass("snapshot.file");
        let snapshot = worktree.take_snapshot(&request, &after_file)?;
        self.failpoints.pass("snapshot.taken");
        Ok(snapshot)
    }

    /// Keeps the commits that only the old place of a branch leads to.
    pub(crate) fn keep_commits(
        &self,
        session: &Session,
        repository: &Repository,
        from: &CommitId,
        to: &CommitId,
    ) -> Result<Snapshot, EngineError> {
        let folder = self.new_snapshot_folder(&session.id)?;
        let snapshot = repository.keep_commits(&folder, std::slice::from_ref(from), to)?;
        self.failpoints.pass("snapshot.taken");
        Ok(snapshot)
    }

    /// Moves the branch of a session if it still is where the caller thinks. Files and index stay.
    pub(crate) fn move_branch(
        &self,
        session: &Session,
        branch: &BranchName,
        (from, to): (&CommitId, &CommitId),
    ) -> Result<(), EngineError> {
        match self.worktree_of(session) {
            Ok(worktree) => move_branch_of(&worktree, branch, (from, to)),
            Err(_) => {
                let repository = self.repository_of(session)?;
                move_if_there(branch, (from, to), |change| {
                    repository.move_reference(change)
                })
            }
        }
    }

    /// Moves a branch together with the files of its checkout.
    pub(crate) fn advance(
        &self,
        repository: &Repository,
        advance: &Advance,
    ) -> Result<(), EngineError> {
        let after_step = |step| match step {
            AdvanceStep::Locked => self.failpoints.pass("advance.locked"),
            AdvanceStep::FilesWritten => self.failpoints.pass("advance.files_written"),
            AdvanceStep::Moved => self.failpoints.pass("advance.moved"),
        };
        repository.advance(advance, &after_step)?;
        Ok(())
    }

    /// The snapshot of the state before an operation.
    pub(crate) fn kept_for(&self, operation: &Operation) -> Result<Snapshot, EngineError> {
        match &operation.snapshot {
            Some(name) => Ok(self.snapshot(&operation.session, name)),
            None => Err(EngineError::SnapshotGone {
                session: operation.session.clone(),
                operation: operation.summary.clone(),
            }),
        }
    }

    /// A snapshot by the name an operation has for it.
    pub(crate) fn snapshot(&self, id: &SessionId, name: &SnapshotName) -> Snapshot {
        Snapshot::in_folder(&self.snapshots(id).join(name.as_str()))
    }

    /// Ends the process here if a test wants it.
    pub(crate) fn failpoint(&self, kind: OperationKind, step: &str) {
        if cfg!(debug_assertions) {
            self.failpoints.pass(&format!("{kind}.{step}"));
        }
    }

    fn new_snapshot_folder(&self, id: &SessionId) -> Result<PathBuf, EngineError> {
        let folder = self.snapshots(id);
        self.create_private_dir(&folder)?;
        let name = self.now().strftime("%Y%m%d-%H%M%S-%3f").to_string();
        let names = std::iter::once(name.clone()).chain((2..).map(|n| format!("{name}-{n}")));
        let free = names
            .map(|name| folder.join(name))
            .find(|path| !path.exists());
        Ok(free.unwrap_or_else(|| folder.join(name)))
    }

    fn snapshots(&self, id: &SessionId) -> PathBuf {
        self.dirs.snapshots().join(id.as_str())
    }

    fn begin(&self, draft: &Draft<'_>) -> Result<Operation, EngineError> {
        let id = &draft.session.id;
        let before = draft.session.landing();
        let snapshot = draft.snapshot.map(name_of).transpose()?;
        let new = NewOperation {
            session: id,
            kind: draft.kind,
            change: &draft.change,
            before: &before,
            after: &draft.after,
            snapshot: snapshot.as_ref(),
            undoes: draft.undoes,
            iteration: draft.iteration,
            overridden: draft.overridden,
            summary: &draft.summary,
            caller: self.caller(),
        };
        self.write(|tx| {
            let key = tx.insert_operation(&new)?;
            require(tx, key)
        })
    }

    /// The end of an operation, and what it means for the session, in one transaction.
    fn finish(
        &self,
        operation: &Operation,
        told: Told,
        durability: Durability,
    ) -> Result<(), EngineError> {
        let id = &operation.session;
        self.store.write(durability, self.now(), |tx| {
            let status = self.view_in(tx, id)?.status;
            tx.set_operation_state(operation.key, OperationState::Done)?;
            tx.set_operation_unheard(operation.key, told == Told::Unheard)?;
            tx.set_operation_after(operation.key, &operation.after)?;
            tx.set_landing(id, &operation.after)?;
            self.mark_undone(tx, operation)?;
            self.settle_iteration(tx, operation)?;
            if let (OperationKind::Commit, Change::Index { to, .. }) =
                (operation.kind, &operation.change)
            {
                let created = EventBody::CommitCreated {
                    commit: to.clone(),
                    subject: operation.summary.clone(),
                };
                tx.append_event(Some(id), &created)?;
            }
            let finished = EventBody::OperationFinished {
                operation: operation.key,
                operation_kind: operation.kind,
                summary: operation.summary.clone(),
            };
            tx.append_event(Some(id), &finished)?;
            tell_status(tx, id, status, self.view_in(tx, id)?.status)
        })
    }

    /// It did not take place or was taken back, or nobody can tell.
    fn give_up_on(&self, operation: &Operation, state: OperationState) -> Result<(), EngineError> {
        self.write(|tx| Ok(tx.set_operation_state(operation.key, state)?))
    }
}

/// Moves the branch of a worktree if it still is where the caller thinks; the reflog of the worktree's own `HEAD` is written
/// too.
pub(crate) fn move_branch_of(
    worktree: &Worktree,
    branch: &BranchName,
    (from, to): (&CommitId, &CommitId),
) -> Result<(), EngineError> {
    move_if_there(branch, (from, to), |change| worktree.move_reference(change))
}

fn move_if_there(
    branch: &BranchName,
    (from, to): (&CommitId, &CommitId),
    move_it: impl FnOnce(&RefMove<'_>) -> Result<Moved, GitError>,
) -> Result<(), EngineError> {
    let change = RefMove {
        full_name: &branch.full_ref(),
        from: Some(from),
        to,
        why: REFLOG,
    };
    match move_it(&change)? {
        Moved::Yes => Ok(()),
        Moved::Refused(current) => Err(AdvanceError::Moved {
            branch: branch.clone(),
            expected: from.clone(),
            current,
        }
        .into()),
    }
}

pub(crate) fn advance_of(branch: &BranchName, from: &CommitId, to: &CommitId) -> Advance {
    Advance {
        branch: branch.clone(),
        from: from.clone(),
        to: to.clone(),
        why: REFLOG.to_owned(),
    }
}

/// How surely the end of an operation is on the disk before anybody is told. A power cut may take the end where what git has
/// tells all of it: whoever looks next settles the operation to the same. What would be put back then must not be lost.
fn durability_of_end(change: &Change) -> Durability {
    match change {
        Change::Branch { .. } | Change::Checkout { .. } | Change::Trash { into: true, .. } => {
            Durability::Stream
        }
        Change::Index { .. }
        | Change::Worktree { .. }
        | Change::Trash { into: false, .. }
        | Change::TrashedBranch { .. }
        | Change::Lasting => Durability::State,
    }
}

/// Whether the error itself says that nothing was changed. To ask git then would take for ours what somebody else did.
fn changed_nothing(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Advance(AdvanceError::Moved { .. })
            | EngineError::Commit(CommitError::Moved { .. })
            | EngineError::Push(
                PushError::NoRemote { .. }
                    | PushError::Url(_)
                    | PushError::WouldLose { .. }
                    | PushError::RemoteMoved { .. }
                    | PushError::Rejected { .. }
            )
            | EngineError::Trash(TrashError::Worktree(_) | TrashError::AdminTaken(_))
    )
}

/// What a snapshot is called in an operation.
fn name_of(snapshot: &Snapshot) -> Result<SnapshotName, EngineError> {
    let name = snapshot.folder().file_name().unwrap_or_default();
    let name = name.to_string_lossy().parse();
    name.map_err(|error: InvalidSnapshotName| EngineError::Records {
        problem: error.to_string(),
    })
}

/// An operation that another one names.
fn require(tx: &Tx<'_>, key: OperationId) -> Result<Operation, EngineError> {
    tx.find_operation(key)?.ok_or_else(|| EngineError::Records {
        problem: format!("operation {key} is named and not there"),
    })
}
