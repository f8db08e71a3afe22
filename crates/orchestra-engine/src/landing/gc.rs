//! Housekeeping: what was cut off is finished, what is kept longer than the settings say is deleted, and worktrees of landed
//! sessions are cleaned up where that is wanted.

mod background;
mod caches;
mod databases;
mod prompts;
mod regenerable;
mod snapshots;

use std::path::PathBuf;
use std::time::Duration;

use orchestra_config::Sources;
use orchestra_core::{Repository, SessionId, SessionName, SessionStatus};

use super::cleanup::{Cleanup, CleanupPlan};
use super::trash::TrashRow;
use crate::RemovedRow;
use crate::lease::lock_file;
use crate::view::SessionView;
use crate::{Engine, EngineError, chain};

pub use background::start_gc_if_due;
pub use regenerable::{Regenerable, RegenerableListing};

/// A landed session that nobody used for so long is idle.
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);
const LOCK: &str = "gc.lock";

/// Whether housekeeping is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gc {
    /// It is only told what would be done.
    Foretell,
    /// It is done.
    Do,
}

/// What housekeeping did, or would do.
#[derive(Debug, Clone, Default)]
pub struct GcReport {
    /// What was cut off before and is put right now.
    pub recovered: Vec<String>,
    /// Sessions whose worktrees went into the trash.
    pub cleaned: Vec<(SessionId, SessionName)>,
    /// Worktrees that were in the trash for long enough.
    pub deleted: Vec<TrashRow>,
    /// Deletions that had been cut off.
    pub finished: usize,
    /// Snapshots that were kept for long enough.
    pub snapshots: usize,
    /// Prompts of sessions that could not be made, kept for long enough.
    pub prompts: usize,
    /// Caches that were left when the worktrees of their sessions were deleted for good.
    pub caches: usize,
    /// Transcripts and logs of sessions that are over, kept for long enough.
    pub data: Vec<RemovedRow>,
    /// The space that is free now, as far as it was counted.
    pub freed_bytes: u64,
    /// Folders in the trash that cannot be read.
    pub damaged: Vec<PathBuf>,
    /// What could not be done.
    pub problems: Vec<String>,
}

/// What was deleted of one kind, or would be.
#[derive(Debug, Default)]
struct Dropped {
    count: usize,
    bytes: u64,
}

impl Engine {
    /// Does the housekeeping of every repository. What cannot be done in one does not keep the others from it.
    ///
    /// # Errors
    /// If somebody else does it now, or the store fails.
    pub fn gc(&self, request: Gc) -> Result<GcReport, EngineError> {
        let lock = lock_file(&self.dirs.root().join(LOCK));
        let lock = lock.map_err(|source| EngineError::io("lock the housekeeping", source))?;
        let Some(_lock) = lock else {
            return Err(EngineError::GcRuns);
        };
        background::stamp(&self.dirs)?;
        let mut report = GcReport::default();
        for repository in self.recorded_repositories()? {
            if !repository.root.exists() {
                continue;
            }
            if let Err(error) = self.gc_in(&repository, request, &mut report) {
                let root = repository.root.display();
                report
                    .problems
                    .push(format!("{root}: {}", chain::text(&error)));
            }
        }
        let snapshots = self.drop_old_snapshots(request)?;
        let prompts = self.drop_old_prompts(request)?;
        let caches = self.drop_useless_caches(request, &mut report.problems)?;
        let data = self.drop_old_data(request)?;
        report.freed_bytes += data.bytes();
        report.data = data.rows;
        report.problems.extend(data.problems);
        if request == Gc::Do {
            self.drop_useless_toolboxes(&mut report.problems)?;
        }
        report.snapshots = snapshots.count;
        report.prompts = prompts.count;
        report.caches = caches.count;
        report.freed_bytes += snapshots.bytes + prompts.bytes + caches.bytes;
        Ok(report)
    }

    fn gc_in(
        &self,
        repository: &Repository,
        request: Gc,
        report: &mut GcReport,
    ) -> Result<(), EngineError> {
        if request == Gc::Do {
            for session in self.sessions_in(repository.id)? {
                report.recovered.extend(self.recover_session(&session.id)?);
            }
            report.finished += self.open_recorded(&repository.root)?.finish_deletions()?;
            self.failpoints.pass("gc.finished");
            self.note_deleted(repository)?;
        }
        self.clean_up_landed(repository, request, report)?;
        let (rows, damaged) = self.trash(Some(repository.id))?;
        report.damaged.extend(damaged);
        let now = self.now();
        let old: Vec<_> = rows
            .into_iter()
            .filter(|row| row.kept_until <= now)
            .collect();
        if request == Gc::Foretell {
            report.freed_bytes += old.iter().filter_map(|row| row.bytes).sum::<u64>();
            report.deleted.extend(old);
            return Ok(());
        }
        let emptied = self.empty_trash(old);
        report.freed_bytes += emptied.bytes();
        report.deleted.extend(emptied.deleted);
        report.problems.extend(emptied.problems);
        Ok(())
    }

    /// Worktrees of sessions whose work is part of the base, where the repository's settings want that.
    fn clean_up_landed(
        &self,
        repository: &Repository,
        request: Gc,
        report: &mut GcReport,
    ) -> Result<(), EngineError> {
        let settings = orchestra_config::load(&Sources {
            environment: self.environment.clone(),
            repository: Some(repository.root.clone()),
            flags: self.flags.clone(),
        })?;
        if !settings.settings.git.auto_cleanup_worktrees {
            return Ok(());
        }
        // What runs before a cleanup is a setting of the repository too.
        let there = self.with_settings_of(&repository.root)?;
        for session in self.sessions_in(repository.id)? {
            let view = self.session(&session.id)?;
            if !self.is_idle(&view) {
                continue;
            }
            match there.clean_up_if_landed(&session.id, request) {
                Ok(true) => report.cleaned.push((session.id, session.name)),
                Ok(false) => {}
                Err(error) => {
                    let problem = format!("{}: {}", session.id, chain::text(&error));
                    report.problems.push(problem);
                }
            }
        }
        Ok(())
    }

    /// Whether it went, or would go.
    fn clean_up_if_landed(&self, id: &SessionId, request: Gc) -> Result<bool, EngineError> {
        let plan = self.plan_cleanup(id, Cleanup::default())?;
        let goes = has_landed_work(&plan) && plan.require_possible().is_ok();
        if goes && request == Gc::Do {
            self.cleanup(id, Cleanup::default())?;
        }
        Ok(goes)
    }

    fn is_idle(&self, view: &SessionView) -> bool {
        let session = &view.session;
        let used = session.last_run.unwrap_or(session.created_at);
        let landed = session.landed.as_ref().map(|landed| landed.at);
        let used = landed.map_or(used, |landed| used.max(landed));
        let unused = self.now().duration_since(used);
        is_settled(view) && unused.unsigned_abs() >= IDLE && unused.is_positive()
    }
}

/// Whether its worktree is there and at rest, and nothing waits for the user either.
fn is_settled(view: &SessionView) -> bool {
    let is_over = matches!(view.status, SessionStatus::Idle | SessionStatus::Completed);
    has_worktree(view) && is_over && view.is_at_rest()
}

fn has_worktree(view: &SessionView) -> bool {
    view.session.trash.is_none() && view.session.worktree_ready
}

/// A session that has not begun is part of its base too, and is left alone.
fn has_landed_work(plan: &CleanupPlan) -> bool {
    let session = &plan.view.session;
    let head = plan.view.git.as_ref().and_then(|facts| facts.head.as_ref());
    let has_own_commits = head.is_some_and(|head| *head != session.base_commit);
    plan.landed.is_some() && (has_own_commits || session.landed.is_some())
}
