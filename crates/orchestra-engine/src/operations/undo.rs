//! Undoing operations and doing them again. Both are operations themselves: they take a snapshot first, so nothing is lost by
//! going back and forth.

use orchestra_core::status::{Outcome, Settlement};
use orchestra_core::{
    Change, CommitId, Landing, Operation, OperationKind, OperationState, Progress, Session,
    SessionId, next_redo, next_undo,
};
use orchestra_git::{
    AdvanceError, Fetched, GitError, Repository, Snapshot, SnapshotError, SnapshotScope,
};
use orchestra_store::Tx;

use super::{Draft, advance_of, require};
use crate::landing::{Passage, require_not_in_trash};
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// What was taken back or done again.
#[derive(Debug, Clone)]
pub struct Undone {
    /// The operation that was meant.
    pub operation: Operation,
    /// What the user should know about it.
    pub note: Option<String>,
    /// The session as it is now.
    pub view: SessionView,
    /// What became of branches, where a worktree went into the trash or came back.
    pub passage: Passage,
}

/// What came of an inversion beside the state that was wanted.
pub(crate) struct Inverted {
    /// What the user should know about it.
    pub(crate) note: Option<String>,
    /// What became of branches, where a worktree went into the trash or came back.
    pub(crate) passage: Passage,
}

impl Engine {
    /// Takes back the newest operation of a session that lasts.
    ///
    /// # Errors
    /// If there is none, or what came after it would be lost; nothing is changed then.
    pub fn undo(&self, id: &SessionId) -> Result<Undone, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        if let Some(undo) = self.hear_of(id, |it| it.kind == OperationKind::Undo)? {
            return self.finished_before(id, &undo);
        }
        let operations = self.operations(id)?;
        require_cleanup_back(&view, &operations)?;
        let Some(operation) = next_undo(&operations) else {
            return Err(nothing(&view, "nothing of it can be undone"));
        };
        let Inverted { note, passage } = self.invert(&view, operation, OperationKind::Undo)?;
        Ok(Undone {
            operation: self.store.read(|tx| require(tx, operation.key))?,
            note,
            view: self.refresh(id)?,
            passage,
        })
    }

    /// Does again what was undone last, unless something else was done since.
    ///
    /// # Errors
    /// If there is none, or what came after it would be lost; nothing is changed then.
    pub fn redo(&self, id: &SessionId) -> Result<Undone, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        if let Some(redo) = self.hear_of(id, |it| it.kind == OperationKind::Redo)? {
            return self.finished_before(id, &redo);
        }
        let operations = self.operations(id)?;
        let undone = next_redo(&operations).and_then(|undo| {
            let original = operations.iter().find(|it| Some(it.key) == undo.undoes)?;
            Some((undo, original))
        });
        let Some((undo, original)) = undone else {
            return Err(nothing(&view, "nothing of it was undone last"));
        };
        let Inverted { note, passage } = self.invert(&view, undo, OperationKind::Redo)?;
        Ok(Undone {
            operation: self.store.read(|tx| require(tx, original.key))?,
            note,
            view: self.refresh(id)?,
            passage,
        })
    }

    /// The same was asked for before, cut off, and finished since. To do it again would be a second step.
    fn finished_before(&self, id: &SessionId, done: &Operation) -> Result<Undone, EngineError> {
        let original = self.store.read(|tx| original_of(tx, done))?;
        Ok(Undone {
            note: Some(format!(
                "the {} was cut off before, and has been finished",
                done.kind
            )),
            operation: original,
            view: self.refresh(id)?,
            passage: Passage::default(),
        })
    }

    /// What another operation did is the other way round afterwards.
    pub(crate) fn invert(
        &self,
        view: &SessionView,
        operation: &Operation,
        kind: OperationKind,
    ) -> Result<Inverted, EngineError> {
        let session = &view.session;
        let change = inverse(operation);
        if change.trash_entry().is_some() {
            let passage = self.invert_trash(view, operation, (kind, change))?;
            return Ok(Inverted {
                note: None,
                passage,
            });
        }
        let kept = self.kept_for(operation)?;
        let repository = self.repository_of(session)?;
        let unasked = self.ask_remote_before_undo(&repository, operation)?;
        self.require_possible(session, operation, &kept)?;
        if let Some((from, to)) = ends_of(&change) {
            // git may have removed them since, and whatever is asked about them would fail.
            repository.restore_commit(&kept, to, from)?;
        }
        let _others = match &change {
            Change::Checkout { branch, .. } if *branch != session.branch => {
                self.take_others_at_rest(session, &repository, branch)?
            }
            _ => Vec::new(),
        };
        let by_hand = done_by_hand(&repository, &change)?;
        let now = self.snapshot_for(session, &repository, &change)?;
        let draft = Draft {
            after: landing_before(session, operation),
            snapshot: Some(&now),
            undoes: Some(operation.key),
            iteration: operation.iteration,
            ..Draft::new(session, kind, change, summary(operation))
        };
        self.operate(&draft, || match &by_hand {
            Some(_) => Ok(()),
            None => self.do_inverse(session, &repository, &draft.change, &kept, &now),
        })?;
        let notes: Vec<_> = [unasked, by_hand].into_iter().flatten().collect();
        Ok(Inverted {
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            passage: Passage::default(),
        })
    }

    /// Somebody may have pushed a merge from elsewhere: the remote is asked, as `merge` does. Answers what the user should know
    /// if it could not be.
    fn ask_remote_before_undo(
        &self,
        repository: &Repository,
        operation: &Operation,
    ) -> Result<Option<String>, EngineError> {
        let (OperationKind::Merge, Change::Checkout { branch, from, to }) =
            (operation.kind, &operation.change)
        else {
            return Ok(None);
        };
        if from == to {
            return Ok(None);
        }
        let base = match repository.resolve_base(branch, self.fetch_policy()) {
            // A base that is gone is told when it is moved.
            Err(GitError::NoSuchBranch { .. }) => return Ok(None),
            base => base?,
        };
        let Fetched::Before {
            failure: Some(failure),
            ..
        } = base.fetched
        else {
            return Ok(None);
        };
        Ok(Some(format!(
            "the remote could not be asked whether it has the merge ({failure}); when it was asked last, it had not"
        )))
    }

    /// What must not be lost is looked at before anything is written down.
    fn require_possible(
        &self,
        session: &Session,
        operation: &Operation,
        kept: &Snapshot,
    ) -> Result<(), EngineError> {
        self.require_unpushed(session, operation)?;
        self.require_other_place(session, operation)?;
        match &operation.change {
            Change::Index { branch, to, .. } => {
                let current = self.repository_of(session)?.find_branch(branch)?;
                if current.as_ref() != Some(to) {
                    return Err(EngineError::Advance(AdvanceError::Moved {
                        branch: branch.clone(),
                        expected: to.clone(),
                        current,
                    }));
                }
                let worktree = self.worktree_of(session)?;
                if worktree.is_index_as_left(kept)? {
                    return Ok(());
                }
                Err(SnapshotError::StagedInTheWay(worktree.staged_paths(to)?).into())
            }
            Change::Branch { .. }
            | Change::Checkout { .. }
            | Change::Worktree { .. }
            | Change::Trash { .. }
            | Change::TrashedBranch { .. }
            | Change::Lasting => Ok(()),
        }
    }

    /// What leaves the base must still be on the session's own branch.
    fn require_other_place(
        &self,
        session: &Session,
        operation: &Operation,
    ) -> Result<(), EngineError> {
        let Some(landed) = &session.landed else {
            return Ok(());
        };
        let is_merge = operation.kind == OperationKind::Merge;
        if !is_merge
            || self
                .repository_of(session)?
                .find_branch(&session.branch)?
                .is_some()
        {
            return Ok(());
        }
        let (branch, head) = (&session.branch, &landed.head);
        Err(EngineError::WrongState {
            session: session.id.clone(),
            status: self.session(&session.id)?.status,
            why: "its branch is gone, so the work would be on no branch any more",
            way_out: format!("make the branch again first: git branch {branch} {head}"),
        })
    }

    /// Keeps what a change could lose.
    pub(crate) fn snapshot_for(
        &self,
        session: &Session,
        repository: &Repository,
        change: &Change,
    ) -> Result<Snapshot, EngineError> {
        let scope = match change {
            Change::Branch { from, to, .. } | Change::Checkout { from, to, .. } => {
                return self.keep_commits(session, repository, from, to);
            }
            Change::Index { .. } => SnapshotScope::Index,
            Change::Worktree { .. }
            | Change::Trash { .. }
            | Change::TrashedBranch { .. }
            | Change::Lasting => SnapshotScope::Worktree,
        };
        let worktree = self.worktree_of(session)?;
        worktree.clear_stale_locks()?;
        self.take_snapshot(session, &worktree, scope)
    }

    fn do_inverse(
        &self,
        session: &Session,
        repository: &Repository,
        change: &Change,
        kept: &Snapshot,
        now: &Snapshot,
    ) -> Result<(), EngineError> {
        match change {
            Change::Branch { branch, from, to } => self.move_branch(session, branch, (from, to)),
            Change::Checkout { branch, from, to } => {
                self.advance(repository, &advance_of(branch, from, to))
            }
            Change::Index {
                branch, from, to, ..
            } => {
                let worktree = self.worktree_of(session)?;
                self.move_branch(session, branch, (from, to))?;
                self.failpoints.pass("undo.moved");
                worktree.restore_index(kept)?;
                Ok(worktree.record_left(now)?)
            }
            Change::Trash { .. } | Change::TrashedBranch { .. } => {
                self.pass_through_trash(repository, session, change, "cleaned up again")?;
                Ok(())
            }
            Change::Worktree { .. } | Change::Lasting => {
                let worktree = self.worktree_of(session)?;
                let after_file = || self.failpoints.pass("undo.restoring");
                worktree.restore_snapshot(kept, now, &after_file)?;
                Ok(worktree.record_left(now)?)
            }
        }
    }

    /// The operation that this one undoes does not last any more; what a redo brings back lasts again.
    pub(super) fn mark_undone(
        &self,
        tx: &Tx<'_>,
        operation: &Operation,
    ) -> Result<(), EngineError> {
        let Some(key) = operation.undoes else {
            return Ok(());
        };
        tx.set_operation_state(key, OperationState::Undone)?;
        if operation.kind == OperationKind::Redo
            && let Some(original) = require(tx, key)?.undoes
        {
            tx.set_operation_state(original, OperationState::Done)?;
        }
        Ok(())
    }

    /// Whether the work of an interrupted run is there decides whether the user has to choose what becomes of it.
    pub(super) fn settle_iteration(
        &self,
        tx: &Tx<'_>,
        operation: &Operation,
    ) -> Result<(), EngineError> {
        let Some(mut iteration) = tx.latest_iteration(&operation.session)? else {
            return Ok(());
        };
        if Some(iteration.number) != operation.iteration {
            return Ok(());
        }
        let (outcome, message) = match operation.kind {
            OperationKind::Undo => (
                Outcome::Interrupted,
                "interrupted; its changes were brought back",
            ),
            _ => (
                Outcome::Settled(Settlement::Discarded),
                "interrupted; its changes were discarded",
            ),
        };
        iteration.progress = Progress::Finished(outcome);
        iteration.message = Some(message.to_owned());
        Ok(tx.put_iteration(&iteration)?)
    }
}

/// What was recorded of the session before an operation. A base that was chosen since stays, unless the operation itself had
/// brought another one.
fn landing_before(session: &Session, operation: &Operation) -> Landing {
    let (before, after) = (operation.before.clone(), &operation.after);
    let is_chosen_since = session.base_branch != after.base_branch;
    match is_chosen_since && before.base_branch == after.base_branch {
        true => Landing {
            base_branch: session.base_branch.clone(),
            base_remote: session.base_remote.clone(),
            ..before
        },
        false => before,
    }
}

/// Where a change takes a branch from and to: commits that only a snapshot may have.
fn ends_of(change: &Change) -> Option<(&CommitId, &CommitId)> {
    match change {
        Change::Branch { from, to, .. }
        | Change::Checkout { from, to, .. }
        | Change::Index { from, to, .. } => Some((from, to)),
        Change::Worktree { .. }
        | Change::Trash { .. }
        | Change::TrashedBranch { .. }
        | Change::Lasting => None,
    }
}

/// What is undone or done again: the operation itself, however often it went back and forth.
pub(crate) fn summary(operation: &Operation) -> String {
    match operation.kind {
        OperationKind::Undo | OperationKind::Redo => operation.summary.clone(),
        kind => format!("{kind}: {}", operation.summary),
    }
}

/// What an undoing or redoing is about in the end.
fn original_of(tx: &Tx<'_>, operation: &Operation) -> Result<Operation, EngineError> {
    let mut original = operation.clone();
    while let Some(key) = original.undoes {
        original = require(tx, key)?;
    }
    Ok(original)
}

/// Whether somebody brought a branch to where it shall go, or went on from there without what shall go away. Then nothing has to
/// be moved.
fn done_by_hand(repository: &Repository, change: &Change) -> Result<Option<String>, EngineError> {
    let (Change::Branch { branch, from, to } | Change::Checkout { branch, from, to }) = change
    else {
        return Ok(None);
    };
    if from == to {
        return Ok(Some("nothing had been moved".to_owned()));
    }
    let Some(current) = repository.find_branch(branch)?.filter(|it| it != from) else {
        return Ok(None);
    };
    let is_back = current == *to
        || (repository.is_ancestor(to, &current)? && !repository.is_ancestor(from, &current)?);
    Ok(is_back.then(|| {
        let (at, goal) = (current.short(), to.short());
        match current == *to {
            true => format!("`{branch}` was at {at} already, so nothing had to be moved"),
            false => format!("`{branch}` went on from {goal} to {at}, so nothing had to be moved"),
        }
    }))
}

fn inverse(operation: &Operation) -> Change {
    match &operation.change {
        Change::Branch { branch, from, to } => Change::Branch {
            branch: branch.clone(),
            from: to.clone(),
            to: from.clone(),
        },
        Change::Checkout { branch, from, to } => Change::Checkout {
            branch: branch.clone(),
            from: to.clone(),
            to: from.clone(),
        },
        Change::Index {
            branch, from, to, ..
        } => Change::Index {
            branch: branch.clone(),
            from: to.clone(),
            to: from.clone(),
            index: operation.snapshot.clone(),
        },
        Change::Trash {
            entry,
            into,
            branch,
        } => Change::Trash {
            entry: entry.clone(),
            into: !into,
            branch: branch.clone(),
        },
        Change::TrashedBranch {
            entry,
            deleted,
            branch,
        } => Change::TrashedBranch {
            entry: entry.clone(),
            deleted: !deleted,
            branch: branch.clone(),
        },
        Change::Worktree { .. } | Change::Lasting => Change::Worktree {
            restoring: operation.snapshot.clone(),
        },
    }
}

/// A cleanup that nobody can take back any more is not passed over: whoever asks would get what was done before it taken back.
fn require_cleanup_back(view: &SessionView, operations: &[Operation]) -> Result<(), EngineError> {
    let lasts = |it: &&Operation| it.state == OperationState::Done && it.kind.can_be_undone();
    let newest = operations.iter().rev().find(lasts);
    if !newest.is_some_and(|it| it.kind == OperationKind::Cleanup && !it.can_be_undone()) {
        return Ok(());
    }
    let before = next_undo(operations).map(|it| (it.kind, &it.change));
    let Some((OperationKind::Merge, Change::Checkout { branch, to, .. })) = before else {
        return require_not_in_trash(&view.session);
    };
    Err(EngineError::WrongState {
        session: view.session.id.clone(),
        status: view.status,
        why: "its worktree was deleted for good, so its cleanup stays",
        way_out: format!(
            "the merge before it is taken back on `{branch}` with `git revert {}`, with `-m 1` if that is a merge",
            to.short()
        ),
    })
}

fn nothing(view: &SessionView, why: &'static str) -> EngineError {
    let id = &view.session.id;
    EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why,
        way_out: format!("`orchestra session operations {id}` shows what was done"),
    }
}
