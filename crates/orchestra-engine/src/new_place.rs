//! Worktrees that somebody moved without telling anybody: their sessions take the new place.

use std::path::{Path, PathBuf};

use orchestra_core::{EventBody, Session, SessionId};
use orchestra_git::{Repository, registered_place};
use orchestra_store::{Effect, SessionField, StoreError};

use crate::locate::main_checkout_of;
use crate::view::SessionView;
use crate::{Engine, EngineError};

impl Engine {
    /// The session whose worktree was moved to where a directory is, with the top of it. Looks at files alone, and at the store
    /// only where something was moved.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn worktree_moved_here(
        &self,
        directory: &Path,
    ) -> Result<Option<(Session, PathBuf)>, EngineError> {
        let Some((top, former)) = moved_from(directory) else {
            return Ok(None);
        };
        let Some(root) = main_checkout_of(&top) else {
            return Ok(None);
        };
        let Some(repository) = self.known_repository(&root)? else {
            return Ok(None);
        };
        let is_it = |session: &Session| session.worktree == former && session.trash.is_none();
        let session = self.sessions_in(repository.id)?.into_iter().find(is_it);
        Ok(session.map(|session| (session, top)))
    }

    /// Takes a directory for the session's worktree, which was moved there, and lets git link it again. Doing it twice is
    /// harmless.
    ///
    /// # Errors
    /// If the worktree is where it was, or the directory is not the one that git has registered for the session.
    pub fn take_new_place(&self, id: &SessionId, place: &Path) -> Result<SessionView, EngineError> {
        let (lease, view) = self.take_at_rest(id)?;
        let (session, repository) = (&view.session, self.repository_of(&view.session)?);
        let place = place.canonicalize().map_err(|_| nothing_there(place))?;
        if place == session.worktree {
            return Ok(view);
        }
        require_moved(&view, &repository, &place)?;
        let field = SessionField::Worktree(place);
        let effect = Effect::RelinkWorktree {
            common_dir: repository.common_dir().to_owned(),
            worktree: session.worktree.clone(),
        };
        self.write(|tx| {
            match tx.set_field(id, &field) {
                Err(StoreError::Taken(_)) => {
                    let what = "the directory".to_owned();
                    return Err(EngineError::Reserved { what });
                }
                done => done?,
            }
            tx.open_intent(id, &effect)?;
            let field = field.name().to_owned();
            tx.append_event(Some(id), &EventBody::SessionChanged { field })?;
            Ok(())
        })?;
        self.failpoints.pass("move.recorded");
        drop(lease);
        self.recover_session(id)?;
        self.refresh(id)
    }
}

/// The top of the worktree that a directory is in, and where git has it, if that is somewhere else and nothing is there.
fn moved_from(directory: &Path) -> Option<(PathBuf, PathBuf)> {
    let directory = directory.canonicalize().ok()?;
    let top = directory
        .ancestors()
        .find(|top| top.join(".git").exists())?;
    if !top.join(".git").is_file() {
        return None;
    }
    let common_dir = main_checkout_of(top)?.join(".git");
    let former = registered_place(&common_dir, top)?;
    let is_moved = former != top && !former.exists();
    is_moved.then(|| (top.to_owned(), former))
}

/// Only what git has registered for this session: a directory says of itself what an agent wants it to say.
fn require_moved(
    view: &SessionView,
    repository: &Repository,
    place: &Path,
) -> Result<(), EngineError> {
    let session = &view.session;
    let refused = |why, way_out| {
        Err(EngineError::WrongState {
            session: session.id.clone(),
            status: view.status,
            why,
            way_out,
        })
    };
    if session.trash.is_some() {
        let way_out = format!("`orchestra session undo {}` brings it back", session.id);
        return refused("its worktree is in the trash", way_out);
    }
    if session.worktree.exists() {
        let way_out = "move that away first if it is not the worktree".to_owned();
        return refused("something is still where its worktree was", way_out);
    }
    let registered = registered_place(repository.common_dir(), place);
    let is_its = match registered {
        Some(registered) if registered == place => has_branch(repository, session, place)?,
        registered => registered.as_ref() == Some(&session.worktree),
    };
    match is_its {
        true => Ok(()),
        false => refused(
            "that directory is not its worktree",
            "give the directory that you moved; `orchestra doctor` shows what else can be done"
                .to_owned(),
        ),
    }
}

/// Whether git knows of the move already, and has the session's branch there.
fn has_branch(
    repository: &Repository,
    session: &Session,
    place: &Path,
) -> Result<bool, EngineError> {
    let mut worktrees = repository.list_worktrees()?.into_iter();
    let found = worktrees.find(|it| it.path == place);
    Ok(found.is_some_and(|it| it.branch.as_deref() == Some(session.branch.as_str())))
}

fn nothing_there(place: &Path) -> EngineError {
    EngineError::Invalid {
        problem: format!("there is no directory {}", place.display()),
        way_out: Some("give the directory that you moved".to_owned()),
    }
}
