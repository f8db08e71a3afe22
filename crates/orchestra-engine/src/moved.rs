//! Repositories that were moved: they are recognised by their worktrees, those in the trash too, and brought along when the
//! user says so.

use std::path::{Path, PathBuf};

use orchestra_core::status::Lease;
use orchestra_core::{Repository, RepositoryId, Session};
use orchestra_git::{Former, WorktreeError, is_in_trash_of, registered_worktrees};
use orchestra_store::{Effect, SessionFilter, Tx};

use crate::change::busy;
use crate::recover::{Settled, note_recovered};
use crate::{Engine, EngineError};

/// A repository that is recorded elsewhere, where nothing is any more.
#[derive(Debug, Clone)]
pub struct MovedRepository {
    /// What is recorded.
    pub repository: Repository,
    /// The top directory of its main checkout now.
    pub root: PathBuf,
    /// Its sessions.
    pub sessions: Vec<Session>,
}

impl Engine {
    /// The repository that was moved to `root`, by files alone. A copy is none: what it was made from is still there.
    ///
    /// # Errors
    /// If the store or git's folder of worktrees cannot be read.
    pub fn moved_here(&self, root: &Path) -> Result<Option<MovedRepository>, EngineError> {
        let recorded = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.repositories()?))?;
        let is_lost = |known: &Repository| !known.root.exists() && !known.common_dir.exists();
        if recorded.iter().any(|known| known.root == root) || !recorded.iter().any(is_lost) {
            return Ok(None);
        }
        let git_directory = root.join(".git");
        let registered = registered_worktrees(&git_directory)?;
        for repository in recorded.into_iter().filter(is_lost) {
            let sessions = self.sessions_in(repository.id)?;
            let is_here = |session: &Session| match &session.trash {
                Some(entry) => is_in_trash_of(&git_directory, entry),
                None => {
                    let now = place_now(&session.worktree, &repository.root, root);
                    registered.contains(&session.worktree) || registered.contains(&now)
                }
            };
            if sessions.iter().any(is_here) {
                let root = root.to_owned();
                return Ok(Some(MovedRepository {
                    repository,
                    root,
                    sessions,
                }));
            }
        }
        Ok(None)
    }

    /// Makes sure that nothing is begun beside the records of a repository that was moved.
    pub(crate) fn require_not_moved(&self, root: &Path) -> Result<(), EngineError> {
        match self.moved_here(root)? {
            Some(moved) => Err(EngineError::RepositoryMoved {
                from: moved.repository.root,
                to: moved.root,
                sessions: moved.sessions.len(),
            }),
            None => Ok(()),
        }
    }

    /// Records where a repository and its worktrees are now, all at once, and lets git link them again.
    ///
    /// # Errors
    /// If something works on one of its sessions, or the store or git refuses. Recovery finishes what was begun.
    pub(crate) fn bring_along(&self, moved: &MovedRepository) -> Result<(), EngineError> {
        self.git()?.open(&moved.root)?;
        for session in &moved.sessions {
            if self.leases.state(&session.id) != Lease::Free {
                return Err(busy(&self.session(&session.id)?));
            }
        }
        self.write(|tx| record_move(tx, moved))?;
        self.failpoints.pass("move.recorded");
        for session in &moved.sessions {
            self.recover_session(&session.id)?;
            self.failpoints.pass("move.relinked");
        }
        Ok(())
    }

    /// Links a worktree that was moved, or whose repository was.
    pub(crate) fn settle_relinking(
        &self,
        session: &Session,
        former: Former<'_>,
    ) -> Result<Settled, EngineError> {
        let repository = self.repository_of(session)?;
        match repository.relink_worktree(&session.worktree, former) {
            Ok(()) => Ok(Settled::lasts(
                "its worktree was linked to its repository again".to_owned(),
            )),
            Err(error @ WorktreeError::NotAWorktree(_)) => Ok(Settled::gone(format!(
                "its worktree could not be linked to its repository again: {error}"
            ))),
            Err(error) => Err(error.into()),
        }
    }

    /// Every session of a repository, those that were put away too.
    pub(crate) fn sessions_in(&self, id: RepositoryId) -> Result<Vec<Session>, EngineError> {
        let filter = SessionFilter {
            repository: Some(id),
            archived: true,
        };
        self.store.read(|tx| Ok(tx.sessions(filter)?))
    }
}

/// Somebody else may have done it meanwhile.
fn record_move(tx: &Tx<'_>, moved: &MovedRepository) -> Result<(), EngineError> {
    let MovedRepository {
        repository, root, ..
    } = moved;
    if tx.repository(repository.id)?.root != repository.root {
        return Ok(());
    }
    tx.move_repository(repository.id, root, &root.join(".git"))?;
    let (from, to) = (repository.root.display(), root.display());
    for session in &moved.sessions {
        let worktree = place_now(&session.worktree, &repository.root, root);
        tx.move_worktree(&session.id, &worktree)?;
        if worktree.join(".git").exists() {
            let effect = Effect::RelinkWorktree {
                common_dir: repository.common_dir.clone(),
                worktree: session.worktree.clone(),
            };
            tx.open_intent(&session.id, &effect)?;
        }
        let what = format!("its repository was moved from {from} to {to}");
        note_recovered(tx, &session.id, &what)?;
    }
    Ok(())
}

/// Where a worktree is after its repository was moved: inside it still, or beside it where a folder above both was renamed.
fn place_now(worktree: &Path, from: &Path, to: &Path) -> PathBuf {
    if let Ok(rest) = worktree.strip_prefix(from) {
        return to.join(rest);
    }
    let (mut old, mut new) = (from, to);
    while let (Some(old_above), Some(new_above)) = (old.parent(), new.parent()) {
        if old.file_name() != new.file_name() {
            break;
        }
        (old, new) = (old_above, new_above);
    }
    let Ok(rest) = worktree.strip_prefix(old) else {
        return worktree.to_owned();
    };
    // What lies in the trash is at neither place; the folder that it belongs to tells where it comes back.
    let place = new.join(rest);
    let has_folder = |path: &Path| path.parent().is_some_and(Path::exists);
    let went_along = place.join(".git").exists() || !has_folder(worktree) && has_folder(&place);
    match !worktree.exists() && went_along {
        true => place,
        false => worktree.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_is_looked_for_where_it_went() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path();
        let beside = top.join("q/trees/one");
        std::fs::create_dir_all(beside.join(".git")).unwrap();
        let (from, to) = (top.join("p/code/app"), top.join("q/code/app"));
        let place = |worktree: &str| place_now(&top.join(worktree), &from, &to);
        assert_eq!(place("p/code/app/.worktrees/x"), to.join(".worktrees/x"));
        assert_eq!(place("p/trees/one"), beside);
        assert_eq!(place("p/trees/two"), top.join("q/trees/two"));
        assert_eq!(place("p/gone/two"), top.join("p/gone/two"));
        assert_eq!(place("q/trees/one"), beside);
    }
}
