//! The way of a worktree into the trash and out of it, as operations take it: going, coming back, and settling what was cut off.

use orchestra_core::{
    Change, Landing, Operation, OperationKind, Session, TrashName, TrashedBranch,
};
use orchestra_git::{Repository, RestoreRequest, Restored, RestoredBranch, TrashEntry, TrashStep};

use super::require_not_deleted;
use crate::landing::cleanup::{BranchEnd, delete_trashed_branch};
use crate::operations::{Draft, summary};
use crate::recover::Settled;
use crate::view::SessionView;
use crate::{Engine, EngineError, chain};

/// What became of branches on the way into the trash or out of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passage {
    /// Branches of a worktree that came back.
    pub restored: Vec<RestoredBranch>,
    /// Why a branch that was to be deleted is still there.
    pub kept: Option<String>,
    /// Why artifacts could not be collected before, if so; they are in the trash then.
    pub artifact_problem: Option<String>,
}

impl Passage {
    /// What nobody would expect, for people.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let kept = self.kept.iter();
        let kept = kept.map(|why| format!("the branch was not deleted: {why}"));
        kept.chain(self.restored.iter().filter_map(surprise))
            .chain(self.artifact_problem.clone())
            .collect()
    }
}

impl From<Restored> for Passage {
    fn from(restored: Restored) -> Self {
        let branches = [Some(restored.branch), restored.deleted];
        Self {
            restored: branches.into_iter().flatten().collect(),
            kept: None,
            artifact_problem: None,
        }
    }
}

impl From<BranchEnd> for Passage {
    fn from(end: BranchEnd) -> Self {
        let kept = match end {
            BranchEnd::Kept(why) => Some(why),
            BranchEnd::Stays | BranchEnd::Deleted => None,
        };
        Self {
            restored: Vec::new(),
            kept,
            artifact_problem: None,
        }
    }
}

impl Engine {
    /// Undoes a cleanup or does it again.
    pub(crate) fn invert_trash(
        &self,
        view: &SessionView,
        operation: &Operation,
        (kind, change): (OperationKind, Change),
    ) -> Result<Passage, EngineError> {
        let session = &view.session;
        require_not_deleted(session)?;
        let repository = self.repository_of(session)?;
        require_branch_free(&repository, view, &change)?;
        let (change, ready) = match kind {
            OperationKind::Redo => {
                let again = self.cleanup_again(&repository, view, operation, change)?;
                (again.0, Some(again.1))
            }
            _ => (change, None),
        };
        let draft = Draft {
            // Whatever was done while it lay in the trash stays.
            after: Landing {
                trash: operation.before.trash.clone(),
                ..session.landing()
            },
            undoes: Some(operation.key),
            ..Draft::new(session, kind, change, summary(operation))
        };
        let passage = self.operate(&draft, || {
            self.pass_through_trash(&repository, session, &draft.change, &operation.summary)
        })?;
        Ok(Passage {
            artifact_problem: ready.and_then(|ready| ready.artifact_problem.clone()),
            ..passage
        })
    }

    /// Deletes the branch of a worktree that is in the trash already, if it still is where it was.
    pub(crate) fn delete_later(
        &self,
        repository: &Repository,
        entry: &TrashName,
        branch: &TrashedBranch,
    ) -> Result<(), EngineError> {
        repository.keep_branch_in_trash(entry, &branch.name)?;
        self.failpoints.pass("cleanup.branch_kept");
        repository.delete_branch(&branch.name, &branch.commit)?;
        self.failpoints.pass("cleanup.branch_deleted");
        Ok(())
    }

    /// Moves a worktree into the trash or out of it, or its branch.
    pub(crate) fn pass_through_trash(
        &self,
        repository: &Repository,
        session: &Session,
        change: &Change,
        why: &str,
    ) -> Result<Passage, EngineError> {
        match change {
            Change::Trash {
                entry,
                into,
                branch,
            } => {
                let going = (entry, branch.as_ref());
                match into {
                    true => Ok(self
                        .move_into_trash(repository, session, going, why)?
                        .into()),
                    false => self.bring_back(repository, session, going),
                }
            }
            Change::TrashedBranch {
                entry,
                deleted,
                branch,
            } => match deleted {
                true => {
                    self.delete_later(repository, entry, branch)?;
                    Ok(Passage::default())
                }
                false => self.bring_branch_back(repository, entry, branch),
            },
            Change::Branch { .. }
            | Change::Checkout { .. }
            | Change::Index { .. }
            | Change::Worktree { .. }
            | Change::Lasting => Ok(Passage::default()),
        }
    }

    fn bring_branch_back(
        &self,
        repository: &Repository,
        entry: &TrashName,
        branch: &TrashedBranch,
    ) -> Result<Passage, EngineError> {
        let back = repository.restore_branch_from_trash(entry, branch)?;
        self.failpoints.pass("restore.branch_back");
        Ok(Passage {
            restored: vec![back],
            ..Passage::default()
        })
    }

    /// What became of a worktree that was on its way when somebody was cut off. One that is completely in the trash stays
    /// there; one that is not comes back.
    pub(crate) fn settle_trash(
        &self,
        session: &Session,
        (entry, into): (&TrashName, bool),
        branch: Option<&TrashedBranch>,
    ) -> Result<Settled, EngineError> {
        let repository = self.repository_of(session)?;
        let found = repository.find_in_trash(entry)?;
        if into && found.as_ref().is_some_and(TrashEntry::is_whole) {
            let passage = Passage::from(delete_trashed_branch(&repository, branch));
            return Ok(Settled::lasts(told(
                "its worktree is in the trash",
                &passage,
            )));
        }
        let back = match &found {
            Some(_) => self.bring_back(&repository, session, (entry, branch)),
            None => repository
                .drop_if_nothing_moved(entry)
                .map(|_| Passage::default())
                .map_err(EngineError::from),
        };
        let is_there = session.worktree.exists();
        Ok(match back {
            Ok(passage) if into => Settled::gone(told("its worktree is where it was", &passage)),
            Ok(passage) if is_there => Settled::lasts(told("its worktree is back", &passage)),
            Ok(_) => Settled::gone("its worktree is not in the trash any more".to_owned()),
            Err(error) => Settled::unknown(format!(
                "its worktree is not back yet: {}",
                chain::text(&error)
            )),
        })
    }

    /// The branch itself tells what became of it.
    pub(crate) fn settle_trashed_branch(
        &self,
        session: &Session,
        branch: &TrashedBranch,
        deleted: bool,
    ) -> Result<Settled, EngineError> {
        let TrashedBranch { name, commit } = branch;
        let found = self.repository_of(session)?.find_branch(name)?;
        Ok(match (found, deleted) {
            (None, true) => Settled::lasts(format!("`{name}` is deleted")),
            (Some(now), false) if now == *commit => {
                Settled::lasts(format!("`{name}` is there again"))
            }
            (Some(_), _) => Settled::gone(format!("`{name}` is where it was")),
            (None, false) => Settled::gone(format!("`{name}` is not there yet")),
        })
    }

    fn bring_back(
        &self,
        repository: &Repository,
        session: &Session,
        (name, deleted): (&TrashName, Option<&TrashedBranch>),
    ) -> Result<Passage, EngineError> {
        let passed = |step: TrashStep| match step {
            TrashStep::Recorded => self.failpoints.pass("restore.begun"),
            TrashStep::ObjectsKept => self.failpoints.pass("restore.objects_back"),
            TrashStep::DirectoryMoved => self.failpoints.pass("restore.directory_moved"),
            TrashStep::AdminMoved => self.failpoints.pass("restore.admin_moved"),
        };
        let request = RestoreRequest {
            name,
            home: Some(&session.worktree),
            deleted,
        };
        let restored = repository.restore_from_trash(&request, &passed)?;
        self.failpoints.pass("restore.back");
        Ok(restored.into())
    }
}

/// A branch that was deleted and made anew by somebody cannot come back: its commits would be on no branch.
fn require_branch_free(
    repository: &Repository,
    view: &SessionView,
    change: &Change,
) -> Result<(), EngineError> {
    let (Change::Trash {
        into: false,
        branch: Some(branch),
        ..
    }
    | Change::TrashedBranch {
        deleted: false,
        branch,
        ..
    }) = change
    else {
        return Ok(());
    };
    let TrashedBranch { name, commit } = branch;
    match repository.find_branch(name)? {
        Some(now) if now != *commit => Err(EngineError::WrongState {
            session: view.session.id.clone(),
            status: view.status,
            why: "its branch was deleted, and somebody made another one of that name",
            way_out: format!(
                "`{name}` is at {} now and was at {commit}; `git branch -m {name} <other name>` keeps the new one, then try again",
                now.short()
            ),
        }),
        _ => Ok(()),
    }
}

fn surprise(branch: &RestoredBranch) -> Option<String> {
    match branch {
        RestoredBranch::None | RestoredBranch::AsItWas(_) | RestoredBranch::MadeAgain(_) => None,
        RestoredBranch::Lost { name, at } => Some(format!(
            "somebody deleted the branch `{name}`, and git has removed its commits since (it was at {}); all files are as they were",
            at.short()
        )),
        RestoredBranch::Moved { name, now } => Some(format!(
            "somebody moved the branch `{name}` to {}, so files that nobody touched look changed",
            now.short()
        )),
    }
}

fn told(what: &str, passage: &Passage) -> String {
    let texts = std::iter::once(what.to_owned()).chain(passage.warnings());
    texts.collect::<Vec<_>>().join("; ")
}
