//! Sessions whose directory, branch or repository went away behind their back: what is left of them, and forgetting those
//! of which nothing is.

use std::path::{Path, PathBuf};

use orchestra_core::{EventBody, OtherCheckout, Repository, Session, SessionDatabase, SessionId};
use orchestra_git::TrashEntry;

use crate::view::SessionView;
use crate::{Engine, EngineError};

/// What of a session went away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The repository, and with it every branch.
    Repository,
    /// Directory and branch, as far as git was asked.
    Branch,
    /// The directory; the branch has every commit.
    Directory,
    /// Git's link in the directory; the files are there.
    Link,
}

/// A session that is recorded no more.
#[derive(Debug, Clone)]
pub struct Forgotten {
    /// What it was.
    pub session: Session,
    /// Directories with its output, its snapshots, what it had for itself and what is left of its files, which are left to the
    /// user.
    pub left: Vec<PathBuf>,
    /// Databases that are perhaps still there, on a server or in a file, and that nobody knows of any more.
    pub databases: Vec<SessionDatabase>,
}

impl SessionView {
    /// What went away, if anything did.
    #[must_use]
    pub fn loss(&self) -> Option<Loss> {
        let session = &self.session;
        if is_gone(&self.repository) {
            return Some(Loss::Repository);
        }
        if !session.worktree_ready || session.trash.is_some() {
            return None;
        }
        if is_linked(session) {
            return None;
        }
        let facts = self.git.as_ref();
        let other = facts.and_then(|facts| facts.other_checkout.as_ref());
        Some(match session.worktree.exists() {
            true => Loss::Link,
            false if matches!(other, Some(OtherCheckout::BranchGone { .. })) => Loss::Branch,
            false => Loss::Directory,
        })
    }
}

impl Engine {
    /// Removes the records of a session of which nothing else is left, so that its name is free again.
    ///
    /// # Errors
    /// If its directory, its branch or its place in the trash is there, or something works on it.
    pub fn forget_session(&self, id: &SessionId) -> Result<Forgotten, EngineError> {
        self.recover_session(id)?;
        let _lease = self.take_start(id)?;
        let view = self.session(id)?;
        self.require_nothing_left(&view)?;
        let _ended = self.end_servers(id)?;
        let session = view.session;
        let mut databases = self.leases(Some(id))?.databases;
        databases.retain(|database| database.state.may_exist());
        // Nobody knows whose it is once the records are gone.
        self.let_cache_go(id);
        self.let_toolbox_go(id);
        self.write(|tx| {
            tx.delete_session(id)?;
            tx.forget_unused_repository(session.repository)?;
            let name = session.name.to_string();
            tx.append_event(Some(id), &EventBody::SessionForgotten { name })?;
            Ok(())
        })?;
        let places = [
            self.dirs.output(),
            self.dirs.snapshots(),
            self.dirs.environments(),
            self.dirs.workspaces(),
        ];
        let places = places.map(|place| place.join(id.as_str())).into_iter();
        let places = places.chain([session.worktree.clone()]);
        Ok(Forgotten {
            session,
            left: places.filter(|place| place.exists()).collect(),
            databases,
        })
    }

    fn require_nothing_left(&self, view: &SessionView) -> Result<(), EngineError> {
        let session = &view.session;
        let refused = |left: String| EngineError::StillThere {
            session: session.id.clone(),
            left,
        };
        // What is left of its directory has no history any more, and stays.
        if is_gone(&view.repository) {
            return Ok(());
        }
        if session.worktree.exists() {
            let place = session.worktree.display();
            return Err(refused(format!("its directory {place}")));
        }
        let repository = self.repository_of(session)?;
        if repository.find_branch(&session.branch)?.is_some() {
            return Err(refused(format!("its branch `{}`", session.branch)));
        }
        let listing = repository.trash_entries()?;
        let is_its = |entry: &TrashEntry| session.trash.as_ref() == Some(&entry.name);
        match listing.entries.iter().any(is_its) {
            true => Err(refused("its directory in the trash".to_owned())),
            false => Ok(()),
        }
    }
}

/// Whether git's link to the repository is in a session's directory. A repository of its own has a directory there.
pub(crate) fn is_linked(session: &Session) -> bool {
    session.worktree.join(".git").is_file()
}

/// Whether nothing is where a repository is recorded.
pub(crate) fn is_gone(repository: &Repository) -> bool {
    !repository.common_dir.exists()
}

/// Where git has the session's branch checked out now, if the directory is not where it is recorded.
pub(crate) fn moved_to(
    repository: &orchestra_git::Repository,
    session: &Session,
) -> Result<Option<PathBuf>, EngineError> {
    if session.worktree.exists() {
        return Ok(None);
    }
    let worktrees = repository.list_worktrees()?.into_iter().skip(1);
    let mut its = worktrees.filter(|it| it.branch.as_deref() == Some(session.branch.as_str()));
    let moved = its.find(|it| it.path != session.worktree && it.path.is_dir());
    Ok(moved.map(|it| it.path))
}

/// The commands for a directory that git moved.
pub(crate) fn ways_of_move(session: &Session, from: &Path) -> String {
    let (from, to) = (from.display(), session.worktree.display());
    format!(
        "let the session take it with `orchestra session set {} worktree '{from}'`, or move it back with \
         `git worktree move '{from}' '{to}'`",
        session.id
    )
}
