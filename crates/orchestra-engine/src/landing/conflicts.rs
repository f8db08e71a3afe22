//! `conflicts`: what git could not decide in a session, or could not if it were rebased now.

use orchestra_core::{CommitId, Rebase, Session, SessionId, name_of_base};
use orchestra_git::{
    AddedClashes, CommitInfo, ConflictedFile, Replay, ReplayRequest, Repository, Worktree,
};

use super::base::commits_named;
use crate::{Engine, EngineError};

/// What git could not decide.
#[derive(Debug, Clone)]
pub struct Conflicts {
    /// Whether a rebase waits at it; else it is what a rebase would stop at first.
    pub in_progress: bool,
    /// What the base is called, such as `main` or `origin/main`: *ours*.
    pub onto_name: String,
    /// The commit of the base.
    pub onto: CommitId,
    /// The session's commit that does not fit: *theirs*. `None` if all of them do.
    pub at: Option<CommitInfo>,
    /// How many commits come after it.
    pub rest: usize,
    /// The files, in the order of paths.
    pub files: Vec<ConflictedFile>,
    /// Names and numbers that both sides gave away.
    pub clashes: AddedClashes,
}

impl Engine {
    /// The conflicts of a session. Where no rebase waits at one, a rebase onto the base is tried in memory.
    ///
    /// # Errors
    /// If the branch or its base is gone, or git fails.
    pub fn conflicts(&self, id: &SessionId) -> Result<Conflicts, EngineError> {
        let session = self.session(id)?.session;
        match &session.rebase {
            Some(rebase) => self.present_conflicts(&session, rebase),
            None => self.foretold_conflicts(&session),
        }
    }

    fn present_conflicts(
        &self,
        session: &Session,
        rebase: &Rebase,
    ) -> Result<Conflicts, EngineError> {
        let worktree = self.worktree_of(session)?;
        let repository = worktree.repository();
        let range = (&rebase.onto, &rebase.original);
        let at = commits_named(repository, range, std::slice::from_ref(&rebase.stopped_at))?;
        Ok(Conflicts {
            in_progress: true,
            onto_name: rebase.base_name(),
            onto: rebase.onto.clone(),
            at: at.into_iter().next(),
            rest: rebase.rest.len(),
            files: self.files_in_conflict(&worktree, rebase)?,
            clashes: repository.added_clashes(&rebase.onto, &rebase.original)?,
        })
    }

    /// The index does not know what is binary; the same merge in memory does.
    fn files_in_conflict(
        &self,
        worktree: &Worktree,
        rebase: &Rebase,
    ) -> Result<Vec<ConflictedFile>, EngineError> {
        let mut files = worktree.conflicts()?;
        let head = worktree.head()?;
        let Some(head) = head.commit().filter(|_| !files.is_empty()) else {
            return Ok(files);
        };
        let commits = vec![rebase.stopped_at.clone()];
        let replay = self.replay(worktree.repository(), head, &rebase.base_name(), commits)?;
        if let Replay::Conflict(stop) = replay {
            for file in &mut files {
                let same = stop
                    .merge
                    .conflicts
                    .iter()
                    .find(|one| one.path == file.path);
                file.is_binary = same.is_some_and(|same| same.is_binary);
            }
        }
        Ok(files)
    }

    fn foretold_conflicts(&self, session: &Session) -> Result<Conflicts, EngineError> {
        let repository = self.repository_of(session)?;
        let head = self.own_head(session, &repository)?;
        let base = self.require_base(session, &repository)?;
        let commits = repository.commits_to_replay(&base.commit, &head)?;
        let onto_name = name_of_base(&base.name, base.remote.as_ref());
        let onto = (&base.commit, onto_name.as_str());
        let own = self.replay_own(&repository, onto, &head, commits)?;
        let (at, rest, files) = match own.replay {
            Replay::Clean { .. } => (None, 0, Vec::new()),
            Replay::Conflict(stop) => (Some(stop.at), stop.rest.len(), stop.merge.conflicts),
        };
        let at = commits_named(&repository, (&base.commit, &head), at.as_slice())?;
        Ok(Conflicts {
            in_progress: false,
            onto_name,
            clashes: repository.added_clashes(&base.commit, &head)?,
            onto: base.commit,
            at: at.into_iter().next(),
            rest,
            files,
        })
    }

    /// Makes commits again on another one, in memory.
    pub(super) fn replay(
        &self,
        repository: &Repository,
        onto: &CommitId,
        onto_name: &str,
        commits: Vec<CommitId>,
    ) -> Result<Replay, EngineError> {
        Ok(repository.replay(&ReplayRequest {
            onto: onto.clone(),
            onto_label: onto_name.to_owned(),
            commits,
            committer: self.stamp(repository)?,
        })?)
    }
}
