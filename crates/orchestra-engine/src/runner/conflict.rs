//! An iteration on a session whose rebase waits at a conflict: the agent resolves, we stage and go on.

use orchestra_core::status::Outcome;
use orchestra_core::{CommitId, ConflictKind};
use orchestra_git::{ConflictedFile, RebaseOutcome, Snapshot, SnapshotScope, Worktree};

use super::commit::{Before, first_of};
use super::prompt::quoted;
use super::{IterationRun, joined, runs_script};
use crate::EngineError;
use crate::landing::{Edits, RebaseAction};

/// More paths than this are not named one by one on a line.
const SHOWN_PATHS: usize = 10;

/// The conflicts as the agent hears of them.
pub(super) struct ToldConflicts {
    pub(super) onto: String,
    pub(super) commit: String,
    pub(super) files: Vec<String>,
}

impl IterationRun<'_> {
    /// As on any session, but what the agent did becomes part of the rebase.
    pub(super) fn work_on_conflict(
        &mut self,
        worktree: &Worktree,
    ) -> Result<(Outcome, Option<String>), EngineError> {
        let engine = self.engine;
        let kept = engine.take_snapshot(&self.session, worktree, SnapshotScope::Worktree)?;
        self.begin(worktree)?;
        let end = self.run_agent(worktree, &mut Before::Clean)?;
        self.failpoints("runner.agent_ended");
        self.record_turn(&end)?;
        // Later the files differ by what came from the base, too.
        let edited = worktree.paths_changed_since(&kept)?.len();
        let note = self.take_resolution(worktree, &kept, end.outcome);
        self.session = engine.session(&self.session.id)?.session;
        let (session, iteration) = (&self.session, &mut self.iteration);
        engine.record_commits(session, worktree, None, iteration)?;
        iteration.files_changed = u32::try_from(edited).ok();
        let note = note?;
        if self.session.rebase.is_none() && runs_script(end.outcome) {
            self.run_script_after()?;
        }
        Ok((end.outcome, joined([end.message, note, None])))
    }

    /// The conflicts that the session waits at.
    pub(super) fn conflicts(&self) -> Result<Option<ToldConflicts>, EngineError> {
        if self.session.rebase.is_none() {
            return Ok(None);
        }
        let conflicts = self.engine.conflicts(&self.session.id)?;
        let commit = conflicts
            .at
            .map(|at| format!("{} {}", at.id.short(), at.subject));
        Ok(Some(ToldConflicts {
            onto: conflicts.onto_name,
            commit: commit.unwrap_or_default(),
            files: conflicts.files.iter().map(line).collect(),
        }))
    }

    /// Stages what the agent edited and goes on once nothing is left to decide. Answers what the user should know.
    fn take_resolution(
        &self,
        worktree: &Worktree,
        kept: &Snapshot,
        outcome: Outcome,
    ) -> Result<Option<String>, EngineError> {
        let (engine, session) = (self.engine, &self.session);
        if let Some(what) = engine.take_rebase(session, worktree, kept)? {
            return Ok(Some(what));
        }
        let edits = match self.iteration.commit && runs_script(outcome) {
            true => Edits::Decide,
            false => Edits::Leave,
        };
        engine.take_edits(session, worktree, kept, edits)?;
        self.failpoints("runner.edits_taken");
        if edits == Edits::Leave {
            return Ok(None);
        }
        let left = worktree.conflicts()?;
        if !left.is_empty() {
            return Ok(Some(format!("conflicts are left: {}", names(&left))));
        }
        let outcome = engine.step(session, worktree, RebaseAction::Continue)?;
        Ok(match outcome {
            RebaseOutcome::Stopped(stop) => {
                let (at, files) = (stop.at.short(), names(&stop.merge.conflicts));
                let next = format!("the next commit {at} has conflicts too: {files}");
                joined([left_out(&stop.dropped), Some(next), None])
            }
            RebaseOutcome::Finished { dropped, .. } => left_out(&dropped),
            RebaseOutcome::Aborted => None,
        })
    }
}

/// Commits that change nothing any more.
fn left_out(commits: &[CommitId]) -> Option<String> {
    let names: Vec<_> = commits.iter().map(CommitId::short).collect();
    let names = names.join(", ");
    (!names.is_empty()).then(|| format!("left out, it changes nothing any more: {names}"))
}

fn line(file: &ConflictedFile) -> String {
    let path = quoted(&file.path);
    let told = format!("{path} ({}, {})", file.kind(), file.content());
    match (file.kind(), &file.ours) {
        // The worktree has one of the two only.
        (ConflictKind::FileDirectory, Some(_)) => {
            format!("{told}; `git show :2:{path}` shows the file")
        }
        (ConflictKind::FileDirectory, None) => {
            format!("{told}; `git show :3:{path}` shows the file")
        }
        (ConflictKind::DistinctTypes, _) => {
            format!("{told}; `git show :2:{path}` and `git show :3:{path}` show both")
        }
        _ => told,
    }
}

fn names(files: &[ConflictedFile]) -> String {
    first_of(files.iter().map(|file| &file.path), SHOWN_PATHS)
}
