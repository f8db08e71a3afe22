//! Whether a session's directory stands on the session's branch.

use orchestra_core::{OtherCheckout, Session, SessionStatus};
use orchestra_git::{BoardRow, CheckedOut, Checkouts, Repository};

use crate::view::SessionView;
use crate::{Engine, EngineError};

impl SessionView {
    /// What git last found checked out instead of the session's branch. An agent at work may have anything checked out for
    /// a while.
    #[must_use]
    pub fn other_checkout(&self) -> Option<&OtherCheckout> {
        let facts = self.git.as_ref();
        facts
            .filter(|_| self.status != SessionStatus::Running)
            .and_then(|facts| facts.other_checkout.as_ref())
    }
}

impl Engine {
    /// The command that brings a session's directory back to its branch.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn way_back(
        &self,
        session: &Session,
        other: &OtherCheckout,
    ) -> Result<String, EngineError> {
        let (branch, place) = (&session.branch, session.worktree.display());
        if *other != OtherCheckout::BranchGone {
            return Ok(format!("git -C '{place}' switch {branch}"));
        }
        let iterations = self.iterations(&session.id)?;
        let last = iterations.iter().rev().find_map(|it| it.head_after.clone());
        let commit = last.unwrap_or_else(|| session.base_commit.clone());
        Ok(format!("git -C '{place}' branch {branch} {commit}"))
    }
}

/// What the worktrees of a repository stand on; nothing where that cannot be told now.
pub(crate) fn checkouts(repository: &Repository) -> Checkouts {
    repository.checkouts().unwrap_or_else(|error| {
        tracing::debug!(code = error.code(), %error, "cannot tell what is checked out");
        Checkouts::default()
    })
}

/// Decides from what git said of the session's branch and of the directory.
pub(crate) fn other_checkout(
    session: &Session,
    row: &BoardRow,
    checkouts: &Checkouts,
) -> Option<OtherCheckout> {
    if !session.worktree_ready || session.trash.is_some() {
        return None;
    }
    if row.head.is_none() {
        return Some(OtherCheckout::BranchGone);
    }
    if session.rebase.is_some() {
        // git stands between the commits of a rebase.
        return None;
    }
    match checkouts.at(&session.worktree)? {
        CheckedOut::Branch(name) if name == session.branch.as_str() => None,
        CheckedOut::Branch(name) => Some(OtherCheckout::Branch { name: name.clone() }),
        CheckedOut::Commit(id) => Some(OtherCheckout::Commit { id: id.clone() }),
    }
}
