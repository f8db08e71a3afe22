//! What a session's directory is like: there at all, linked to git, with the session's branch checked out.

use orchestra_core::{Session, SessionStatus};
use orchestra_git::Head;

use super::{Check, Health};
use crate::{Engine, EngineError};

/// Something other than the session's branch is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherCheckout {
    /// What is there instead.
    pub problem: String,
    /// The command that helps.
    pub way_out: String,
}

impl Engine {
    /// Looks whether a session's directory has its branch checked out. `None` if it has, or if it cannot be told.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn other_checkout(&self, session: &Session) -> Result<Option<OtherCheckout>, EngineError> {
        let head = self.worktree_of(session);
        let Ok(head) = head.and_then(|worktree| Ok(worktree.head()?)) else {
            return Ok(None);
        };
        let (branch, place) = (&session.branch, session.worktree.display());
        let switch = format!("git -C '{place}' switch {branch}");
        let (found, way_out) = match head {
            Head::Branch { name, .. } if name == *branch => return Ok(None),
            Head::Unborn(name) if name == branch.as_str() => {
                let commits = self.iterations(&session.id)?;
                let last = commits.iter().rev().find_map(|it| it.head_after.clone());
                let commit = last.unwrap_or_else(|| session.base_commit.clone());
                let way_out = format!("git -C '{place}' branch {branch} {commit}");
                return Ok(Some(OtherCheckout {
                    problem: format!("its branch `{branch}` is gone"),
                    way_out,
                }));
            }
            Head::Branch { name, .. } => (format!("`{name}`"), switch),
            Head::Unborn(name) => (format!("`{name}`, which has no commit,"), switch),
            Head::Detached(commit) => (format!("{} without a branch", commit.short()), switch),
        };
        Ok(Some(OtherCheckout {
            problem: format!("{found} is checked out instead of `{branch}`"),
            way_out,
        }))
    }

    /// Without git's link nothing else may be done to a directory, since work is there.
    pub(super) fn check_directory(
        &self,
        session: &Session,
        name: &str,
    ) -> Result<Option<Check>, EngineError> {
        let place = session.worktree.display();
        if session.worktree.join(".git").exists() {
            return self.check_checkout(session, name);
        }
        if session.worktree.exists() {
            let root = self.session(&session.id)?.repository.root;
            let detail = format!("git's link in {place} is gone; the files are there");
            return Ok(Some(Check::new(name, Health::Bad, detail).hint(format!(
                "`git -C '{}' worktree repair` writes it again and changes nothing else",
                root.display()
            ))));
        }
        let detail = format!("its directory is missing: {place}");
        let hint = format!(
            "its branch has every commit; bring it back with `orchestra worktree prune` and \
             `git worktree add '{place}' {}`, or put the session away with `orchestra session archive {}`",
            session.branch, session.id
        );
        Ok(Some(Check::new(name, Health::Note, detail).hint(hint)))
    }

    /// An agent at work may have anything checked out for a while.
    fn check_checkout(&self, session: &Session, name: &str) -> Result<Option<Check>, EngineError> {
        if self.session(&session.id)?.status == SessionStatus::Running {
            return Ok(None);
        }
        let other = self.other_checkout(session)?;
        Ok(other.map(|other| {
            Check::new(name, Health::Note, other.problem).hint(format!("`{}`", other.way_out))
        }))
    }
}
