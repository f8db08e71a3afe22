//! What a person changed while an iteration waited for the agent's provider: no work of the agent's.

use orchestra_config::HumanChanges;
use orchestra_git::{CommitRequest, RememberedFiles, Worktree};

use super::IterationRun;
use super::commit::Before;
use crate::EngineError;

impl IterationRun<'_> {
    /// The files as the agent left them. During a rebase all that is edited becomes part of it, whoever did.
    pub(super) fn files_left(
        &self,
        worktree: &Worktree,
    ) -> Result<Option<RememberedFiles>, EngineError> {
        match self.session.rebase {
            Some(_) => Ok(None),
            None => Ok(Some(worktree.remember_files()?)),
        }
    }

    /// Changes since then are committed apart or stay out, as changes before an iteration do.
    pub(super) fn keep_changes_since(
        &self,
        worktree: &Worktree,
        left: &RememberedFiles,
        before: &mut Before,
    ) -> Result<(), EngineError> {
        let is_ready = self.engine.require_own_branch(&self.session, worktree);
        if self.iteration.commit && is_ready.is_err() {
            // Told once the agent's work is to be committed.
            return Ok(());
        }
        match self.engine.config().git.human_changes {
            HumanChanges::Commit if self.iteration.commit => self.commit_since(worktree, left),
            HumanChanges::Commit | HumanChanges::Keep => self.leave_out(worktree, left, before),
        }
    }

    fn commit_since(&self, worktree: &Worktree, left: &RememberedFiles) -> Result<(), EngineError> {
        let number = self.iteration.number;
        let message = format!("manual: changes made while iteration {number} waited");
        let request = CommitRequest::new(message);
        match worktree.prepare_commit_since(left, &request)? {
            Some(prepared) => self.engine.publish(worktree, &self.session.id, &prepared),
            None => Ok(()),
        }
    }

    fn leave_out(
        &self,
        worktree: &Worktree,
        left: &RememberedFiles,
        before: &mut Before,
    ) -> Result<(), EngineError> {
        let start = match (&*before, &self.iteration.head_before) {
            // The commit says that it has what others changed.
            (Before::LeftOver, _) | (Before::Clean, None) => return Ok(()),
            (Before::Clean, Some(head)) => worktree.files_of(head)?,
            (Before::KeptOut { snapshot, .. } | Before::Remembered(snapshot), _) => {
                snapshot.clone()
            }
        };
        let Some((snapshot, mut paths)) = worktree.remember_changes_since(left, &start)? else {
            return Ok(());
        };
        if let Before::KeptOut { paths: known, .. } = before {
            paths.append(known);
        }
        *before = match self.iteration.commit {
            true => Before::KeptOut { snapshot, paths },
            false => Before::Remembered(snapshot),
        };
        Ok(())
    }
}
