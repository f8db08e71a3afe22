//! Cleaning up a session: its worktree goes into the trash, and its branch is deleted if that is wanted. Nothing is lost: both
//! come back with `undo` as long as the trash has them.

mod error;
mod look;

use std::path::PathBuf;

use orchestra_core::{
    Change, CommitId, Landing, Operation, OperationKind, PassedOver, ScriptRun, Session,
    SessionDatabase, SessionId, TrashName, TrashedBranch,
};
use orchestra_git::{BranchFate, Repository, TrashRequest, TrashStep};
use orchestra_store::Control;

pub use error::{CleanupError, Obstacle};
pub(super) use look::in_use;

use crate::environment::DatabaseEnd;
use crate::lease::Held;
use crate::operations::Draft;
use crate::project_commands::{ProjectCommand, told};
use crate::runner::forget_dirty;
use crate::view::SessionView;
use crate::{Consent, Engine, EngineError};

/// How a session is cleaned up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cleanup {
    /// What becomes of its branch.
    pub branch: BranchChoice,
    /// Whether it may go although its work is not part of the base.
    pub unlanded: Consent,
    /// Whether it may go although something is not committed.
    pub dirty: Consent,
    /// What becomes of its databases.
    pub databases: DatabaseChoice,
    /// Whether what is set for before a cleanup runs.
    pub teardown: Teardown,
}

/// What becomes of the databases of a session that is cleaned up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DatabaseChoice {
    /// They stay.
    #[default]
    Keep,
    /// They are dropped, for good.
    Drop,
}

/// Whether what is set for before a cleanup runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Teardown {
    /// It does, and must pass.
    #[default]
    Run,
    /// A person wants to go on without it.
    Skip,
}

/// What becomes of the branch of a session that is cleaned up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BranchChoice {
    /// It stays.
    #[default]
    Keep,
    /// It is deleted too.
    Delete,
}

/// What a cleanup does, or would do.
#[derive(Debug, Clone)]
pub struct CleanupPlan {
    /// The session.
    pub view: SessionView,
    /// Its name in the trash, if it lies there already and only its branch goes.
    pub in_trash: Option<TrashName>,
    /// The directory that goes into the trash; `None` if only git's own folder for it is left.
    pub directory: Option<PathBuf>,
    /// Where the branch that is deleted stands; `None` if it stays.
    pub deletes_branch_at: Option<CommitId>,
    /// Whether somebody deleted the branch before.
    pub branch_is_gone: bool,
    /// How the work is part of the base, in words; `None` if it is not.
    pub landed: Option<String>,
    /// How many paths have something uncommitted.
    pub uncommitted: usize,
    /// Its servers that run; they are ended first.
    pub servers: Vec<ScriptRun>,
    /// What runs in the directory before it goes.
    pub teardown: Option<ProjectCommand>,
    /// The databases that go, and where.
    pub databases: Vec<(SessionDatabase, DatabaseEnd)>,
    /// What a person chose to pass over.
    pub overridden: Vec<PassedOver>,
    /// What stands in the way.
    pub obstacles: Vec<Obstacle>,
}

/// A session that was cleaned up.
#[derive(Debug, Clone)]
pub struct Cleaned {
    /// What was done.
    pub plan: CleanupPlan,
    /// What its worktree is called in the trash.
    pub entry: TrashName,
    /// What became of the branch.
    pub branch: BranchEnd,
    /// The session as it is now.
    pub view: SessionView,
    /// Why its artifacts could not be collected before, if so; they are in the trash then.
    pub artifact_problem: Option<String>,
}

/// A session whose worktree can go.
pub(crate) struct Ready {
    /// No server starts as long as somebody has this.
    _servers: Held,
    /// Why its artifacts could not be collected, if so.
    pub(crate) artifact_problem: Option<String>,
}

/// What became of the branch of a session that was cleaned up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchEnd {
    /// Nobody wanted it deleted.
    Stays,
    /// It is deleted; the trash keeps its commits.
    Deleted,
    /// It was to be deleted, and could not be.
    Kept(String),
}

impl CleanupPlan {
    /// Refuses if anything stands in the way.
    ///
    /// # Errors
    /// Everything that does, at once.
    pub fn require_possible(&self) -> Result<(), CleanupError> {
        if self.obstacles.is_empty() {
            return Ok(());
        }
        Err(CleanupError {
            session: self.view.session.id.clone(),
            obstacles: self.obstacles.clone(),
        })
    }

    /// Whether all of it was done before.
    #[must_use]
    pub fn is_done_before(&self) -> bool {
        let is_branch_left = match self.obstacles.as_slice() {
            [] => self.deletes_branch_at.is_some(),
            [Obstacle::NoBranch(_)] => false,
            _ => true,
        };
        self.in_trash.is_some() && !is_branch_left && self.databases.is_empty()
    }

    /// Whether something goes that nothing brings back.
    #[must_use]
    pub fn drops_for_good(&self) -> bool {
        let mut ends = self.databases.iter().map(|(_, end)| *end);
        ends.any(|end| end == DatabaseEnd::Dropped)
    }

    fn branch(&self) -> Option<TrashedBranch> {
        let commit = self.deletes_branch_at.clone()?;
        let name = self.view.session.branch.clone();
        Some(TrashedBranch { name, commit })
    }

    fn why(&self) -> String {
        let landed = match &self.landed {
            Some(how) => format!("its work is part of the base: {how}"),
            None => "cleaned up although its work is not part of the base".to_owned(),
        };
        match self.uncommitted {
            0 => landed,
            count => format!("{landed}; {count} path(s) with uncommitted changes"),
        }
    }
}

impl Engine {
    /// What a cleanup would do now, and what stands in its way. Changes nothing.
    ///
    /// # Errors
    /// If the session has no worktree any more, or git fails.
    pub fn plan_cleanup(
        &self,
        id: &SessionId,
        request: Cleanup,
    ) -> Result<CleanupPlan, EngineError> {
        let view = self.session(id)?;
        let repository = self.repository_of(&view.session)?;
        self.look_at(&repository, view, request)
    }

    /// Moves the worktree of a session into the trash, after its servers were ended. Of one that lies there already, the
    /// branch can be deleted; doing it twice is harmless.
    ///
    /// # Errors
    /// If something works on the session, its work has not landed, something is uncommitted, or somebody uses the directory;
    /// nothing is changed then. If a server does not end or the teardown fails, the worktree stays; if a database cannot be
    /// dropped, the rest is done. The same again goes on there.
    pub fn cleanup(&self, id: &SessionId, request: Cleanup) -> Result<Cleaned, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let repository = self.repository_of(&view.session)?;
        let plan = self.look_at(&repository, view, request)?;
        if plan.is_done_before() {
            self.require_unfinished(id, |done| done.kind == OperationKind::Cleanup)?;
        } else {
            plan.require_possible()?;
            self.require_fetched(&plan.view.session)?;
        }
        let ways = match request.databases {
            DatabaseChoice::Drop => self.ways_to_drop(&plan.view)?,
            DatabaseChoice::Keep => Vec::new(),
        };
        let ready = self.make_ready(&plan)?;
        let cleaned = self.let_go(&repository, plan, ready.artifact_problem.clone())?;
        self.let_toolbox_go(id);
        // Nothing brings them back, so they come last.
        self.drop_databases(&cleaned.view, &ways)?;
        match ways.is_empty() {
            true => Ok(cleaned),
            false => Ok(Cleaned {
                view: self.session(id)?,
                ..cleaned
            }),
        }
    }

    fn let_go(
        &self,
        repository: &Repository,
        plan: CleanupPlan,
        artifact_problem: Option<String>,
    ) -> Result<Cleaned, EngineError> {
        match (plan.in_trash.clone(), plan.branch()) {
            (Some(entry), Some(branch)) => {
                self.delete_branch_alone(repository, plan, entry, &branch)
            }
            (Some(entry), None) => Ok(Cleaned {
                view: self.session(&plan.view.session.id)?,
                branch: BranchEnd::Stays,
                entry,
                plan,
                artifact_problem: None,
            }),
            (None, _) => self.put_into_trash(repository, plan, artifact_problem),
        }
    }

    /// Stops what runs in a session, if anything does, and waits until it is at rest.
    ///
    /// # Errors
    /// If it does not come to rest in time.
    pub fn stop_for_cleanup(&self, id: &SessionId) -> Result<bool, EngineError> {
        if self.session(id)?.work().is_none() {
            return Ok(false);
        }
        self.stop(id, Control::Stop)?;
        let grace = self.config().core.stop_grace + std::time::Duration::from_secs(30);
        self.wait_until_at_rest(id, Some(grace))?;
        Ok(true)
    }

    /// Cleans up a session that has just landed, if the setting wants that.
    ///
    /// # Errors
    /// If something stands in the way; the session stays as it is then.
    pub fn cleanup_after_landing(&self, id: &SessionId) -> Result<Option<Cleaned>, EngineError> {
        if !self.config().git.auto_cleanup_worktrees {
            return Ok(None);
        }
        self.cleanup(id, Cleanup::default()).map(Some)
    }

    /// What a cleanup looks at first is looked at again before it is done again, with the consents it was given. Answers what
    /// is done then: the branch may be somewhere else by now. Nothing is left to do before that.
    pub(crate) fn cleanup_again(
        &self,
        repository: &Repository,
        view: &SessionView,
        undo: &Operation,
        mut change: Change,
    ) -> Result<(Change, Ready), EngineError> {
        let operations = self.operations(&view.session.id)?;
        let cleanup = operations.iter().find(|it| Some(it.key) == undo.undoes);
        let before = cleanup.map(Cleanup::as_before).unwrap_or_default();
        let request = Cleanup {
            teardown: self.teardown_again(view)?,
            ..before
        };
        let plan = self.look_at(repository, view.clone(), request)?;
        plan.require_possible()?;
        let ready = self.make_ready(&plan)?;
        match (&mut change, plan.branch()) {
            (Change::Trash { branch, .. }, now) => *branch = now,
            (Change::TrashedBranch { branch, .. }, Some(now)) => *branch = now,
            (
                Change::TrashedBranch { .. }
                | Change::Branch { .. }
                | Change::Checkout { .. }
                | Change::Index { .. }
                | Change::Worktree { .. }
                | Change::Lasting,
                _,
            ) => {}
        }
        Ok((change, ready))
    }

    /// What comes before every way into the trash: servers end, artifacts are collected, and then what is set for before a
    /// cleanup runs, which may need the ports and may delete the files.
    fn make_ready(&self, plan: &CleanupPlan) -> Result<Ready, EngineError> {
        let session = &plan.view.session;
        let servers = self.end_servers(&session.id)?;
        let artifact_problem = match plan.directory {
            Some(_) => self.collect_artifacts_if_set(session),
            None => None,
        };
        self.tear_down(plan)?;
        Ok(Ready {
            _servers: servers,
            artifact_problem,
        })
    }

    /// Runs what is set for before a cleanup, in the worktree. It must pass: what it would have ended or removed outlives the
    /// worktree otherwise.
    fn tear_down(&self, plan: &CleanupPlan) -> Result<(), EngineError> {
        let (Some(command), Some(directory)) = (&plan.teardown, &plan.directory) else {
            return Ok(());
        };
        let session = &plan.view.session;
        let told = told(session, &session.base_branch, &plan.view.repository.root);
        let run = self.run_command(session, command, directory, &told)?;
        self.failpoints.pass("cleanup.torn_down");
        if run.has_passed() {
            return Ok(());
        }
        Err(CleanupError {
            session: session.id.clone(),
            obstacles: vec![Obstacle::TeardownFailed {
                log: self.script_log(&run),
                problem: run.problem,
            }],
        }
        .into())
    }

    fn put_into_trash(
        &self,
        repository: &Repository,
        plan: CleanupPlan,
        artifact_problem: Option<String>,
    ) -> Result<Cleaned, EngineError> {
        let session = &plan.view.session;
        let entry = TrashName::of(&session.id, self.now());
        let deleted = plan.branch();
        let change = Change::Trash {
            entry: entry.clone(),
            into: true,
            branch: deleted.clone(),
        };
        let draft = Draft {
            after: Landing {
                trash: Some(entry.clone()),
                ..session.landing()
            },
            overridden: &plan.overridden,
            ..Draft::new(session, OperationKind::Cleanup, change, plan.why())
        };
        let branch = self.operate(&draft, || {
            let going = (&entry, deleted.as_ref());
            self.move_into_trash(repository, session, going, &draft.summary)
        })?;
        let view = self.without_files(&session.id)?;
        Ok(Cleaned {
            entry,
            branch,
            view,
            plan,
            artifact_problem,
        })
    }

    /// Only the branch goes: the worktree lies in the trash already.
    fn delete_branch_alone(
        &self,
        repository: &Repository,
        plan: CleanupPlan,
        entry: TrashName,
        branch: &TrashedBranch,
    ) -> Result<Cleaned, EngineError> {
        let session = &plan.view.session;
        let change = Change::TrashedBranch {
            entry: entry.clone(),
            deleted: true,
            branch: branch.clone(),
        };
        let summary = match &plan.landed {
            Some(how) => format!(
                "`{}` deleted; its work is part of the base: {how}",
                branch.name
            ),
            None => format!(
                "`{}` deleted although its work is not part of the base",
                branch.name
            ),
        };
        let draft = Draft {
            overridden: &plan.overridden,
            ..Draft::new(session, OperationKind::Cleanup, change, summary)
        };
        self.operate(&draft, || self.delete_later(repository, &entry, branch))?;
        Ok(Cleaned {
            view: self.refresh(&session.id)?,
            branch: BranchEnd::Deleted,
            entry,
            plan,
            artifact_problem: None,
        })
    }

    /// The effect of a cleanup. A branch that somebody moved since stays.
    pub(crate) fn move_into_trash(
        &self,
        repository: &Repository,
        session: &Session,
        (entry, branch): (&TrashName, Option<&TrashedBranch>),
        why: &str,
    ) -> Result<BranchEnd, EngineError> {
        let request = TrashRequest {
            name: entry.clone(),
            session: session.id.clone(),
            session_name: session.name.clone(),
            branch: session.branch.clone(),
            last_head: Some(self.last_known_head(session)?),
            branch_fate: match branch {
                Some(_) => BranchFate::MayGo,
                None => BranchFate::Stays,
            },
            at: self.now(),
            why: why.to_owned(),
        };
        let passed = |step: TrashStep| match step {
            TrashStep::Recorded => self.failpoints.pass("cleanup.recorded"),
            TrashStep::ObjectsKept => self.failpoints.pass("cleanup.objects_kept"),
            TrashStep::AdminMoved => self.failpoints.pass("cleanup.admin_moved"),
            TrashStep::DirectoryMoved => self.failpoints.pass("cleanup.directory_moved"),
        };
        repository.trash_worktree(&session.worktree, &request, &passed)?;
        let end = delete_trashed_branch(repository, branch);
        self.failpoints.pass("cleanup.branch_deleted");
        Ok(end)
    }

    /// The session as it is now. Git is not asked again: of what it said, only that about the files is not true any more.
    fn without_files(&self, id: &SessionId) -> Result<SessionView, EngineError> {
        self.write_stream(|tx| {
            forget_dirty(tx, id, self.now())?;
            self.view_in(tx, id)
        })
    }
}

/// Deletes the branch of a worktree that is in the trash, if it still is where it was.
pub(crate) fn delete_trashed_branch(
    repository: &Repository,
    branch: Option<&TrashedBranch>,
) -> BranchEnd {
    let Some(TrashedBranch { name, commit }) = branch else {
        return BranchEnd::Stays;
    };
    let is_gone = || matches!(repository.find_branch(name), Ok(None));
    match repository.delete_branch(name, commit) {
        Ok(()) => BranchEnd::Deleted,
        Err(_) if is_gone() => BranchEnd::Deleted,
        Err(error) => BranchEnd::Kept(error.to_string()),
    }
}
