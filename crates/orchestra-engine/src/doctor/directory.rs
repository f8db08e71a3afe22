//! What a session's directory is like: there at all, linked to git, with the session's branch checked out.

use orchestra_core::{Session, SessionStatus};
use orchestra_git::{BoardQuery, Repository};

use super::{Diagnosis, Health};
use crate::board::board_query;
use crate::checkout::{checkouts, other_checkout};
use crate::loss::{is_linked, moved_to, ways_of_move};
use crate::{Engine, EngineError, Loss};

impl Engine {
    /// Without git's link nothing else may be done to a directory, since work is there.
    pub(super) fn check_directory(
        &self,
        session: &Session,
    ) -> Result<Option<Diagnosis>, EngineError> {
        let view = self.session(&session.id)?;
        let (root, place) = (view.repository.root.display(), session.worktree.display());
        let (health, detail, hint) = match view.loss() {
            // The repository's own row tells what to do.
            None | Some(Loss::Repository) => return Ok(None),
            Some(Loss::Link) if session.worktree.join(".git").exists() => (
                Health::Bad,
                format!("a repository of its own is in {place}; the files are there"),
                format!(
                    "keep what it has: move '{place}/.git' away; then `git -C '{root}' worktree repair` writes git's link again"
                ),
            ),
            Some(Loss::Link) => (
                Health::Bad,
                format!("git's link in {place} is gone; the files are there"),
                format!(
                    "`git -C '{root}' worktree repair` writes it again and changes nothing else"
                ),
            ),
            Some(Loss::Directory | Loss::Branch) => self.missing_directory(session)?,
        };
        let check = Diagnosis::of_session(session, health, detail);
        Ok(Some(check.hint(hint)))
    }

    fn missing_directory(
        &self,
        session: &Session,
    ) -> Result<(Health, String, String), EngineError> {
        let moved = moved_to(&self.repository_of(session)?, session)?;
        let (detail, hint) = match moved {
            Some(to) => (
                format!("its directory was moved to {}", to.display()),
                ways_of_move(session, &to),
            ),
            None => (
                format!("its directory is missing: {}", session.worktree.display()),
                self.way_out_of_loss(session)?,
            ),
        };
        Ok((Health::Note, detail, hint))
    }

    fn way_out_of_loss(&self, session: &Session) -> Result<String, EngineError> {
        let (id, branch) = (&session.id, &session.branch);
        if self.repository_of(session)?.find_branch(branch)?.is_none() {
            return Ok(format!(
                "its branch `{branch}` is gone too; `orchestra session forget {id}` forgets the session"
            ));
        }
        Ok(format!(
            "if you moved it, any command in its new place takes that, or `orchestra session set {id} worktree <directory>`; else \
             its branch has every commit: bring it back with `orchestra worktree prune` and `git worktree add '{}' {branch}`, or put the session away with `orchestra session archive {id}`",
            session.worktree.display()
        ))
    }

    /// What is checked out in the directories of a repository's sessions. An agent at work may have anything checked out
    /// for a while.
    pub(super) fn check_checkouts(
        &self,
        repository: &Repository,
        sessions: &[Session],
    ) -> Result<Vec<Diagnosis>, EngineError> {
        let looked_at = |session: &&Session| session.archived_at.is_none() && is_linked(session);
        let sessions: Vec<&Session> = sessions.iter().filter(looked_at).collect();
        let queries: Vec<BoardQuery> = sessions.iter().copied().map(board_query).collect();
        let (rows, checkouts) = (repository.board(&queries)?, checkouts(repository));
        let mut checks = Vec::new();
        for (session, row) in sessions.into_iter().zip(&rows) {
            let view = self.session(&session.id)?;
            let known = view.git.as_ref();
            let other = other_checkout(session, repository, row, &checkouts, known);
            if let Some(other) = other.filter(|_| view.status != SessionStatus::Running) {
                let ways = self.ways_back(session, &other)?.into_iter();
                let ways: Vec<_> = ways.map(|way| format!("`{}`", way.command)).collect();
                let check =
                    Diagnosis::of_session(session, Health::Note, other.problem(&session.branch));
                checks.push(check.hint(ways.join(" or ")));
            }
        }
        Ok(checks)
    }
}
