//! `rebase`: the commits of a session are made again on top of its base. In memory where all of them fit; else the first that
//! does not becomes a rebase of git that waits in the worktree.

mod notice;
mod settle;
mod step;

use orchestra_core::{
    BranchName, Change, CommitId, Landed, Landing, OperationKind, RebaseState, Session, SessionId,
    name_of_base,
};
use orchestra_git::{
    Base, CommitInfo, RebaseError, RebasePlan, RebaseStep, RebaseStop, Replay, SnapshotScope,
    Status, Worktree,
};

pub use step::RebaseAction;
pub(super) use step::require_conflict;

use super::base::commits_named;
use super::own_commits::OwnReplay;
use super::{HistoryError, MergeError};
use crate::operations::{Draft, advance_of};
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// A rebase, or a step of it.
#[derive(Debug, Clone)]
pub struct RebaseDone {
    /// What came of it.
    pub state: RebaseState,
    /// What the base is called, such as `main` or `origin/main`.
    pub onto_name: String,
    /// The commit of the base.
    pub onto: CommitId,
    /// The base and how fresh it is, where a rebase was begun.
    pub base: Option<Base>,
    /// Commits that change nothing any more: the base has their changes, or they were resolved to nothing. Oldest first.
    pub dropped: Vec<CommitInfo>,
    /// The session as it is now.
    pub view: SessionView,
}

/// What is rebased.
struct Plan<'a> {
    session: &'a Session,
    worktree: &'a Worktree,
    base: &'a Base,
    onto_name: String,
    head: CommitId,
    /// The commits to make again, oldest first.
    commits: Vec<CommitId>,
    /// How far that goes.
    replay: Replay,
}

impl Engine {
    /// Puts the commits of a session onto its base, or onto another branch, which becomes its base.
    ///
    /// # Errors
    /// If changes that are not committed are in the way, or somebody works on the branch; nothing is changed then.
    pub fn rebase(
        &self,
        id: &SessionId,
        onto: Option<&BranchName>,
    ) -> Result<RebaseDone, EngineError> {
        let is_conflicted = |error: &EngineError| {
            matches!(error, EngineError::History(HistoryError::Conflicted { .. }))
        };
        self.or_finished(id, self.rebase_now(id, onto), is_conflicted, |done| {
            let (before, after) = (&done.before.rebase, &done.after.rebase);
            done.kind == OperationKind::Rebase && before.is_none() && after.is_some()
        })
    }

    fn rebase_now(
        &self,
        id: &SessionId,
        onto: Option<&BranchName>,
    ) -> Result<RebaseDone, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        require_other(session, onto.unwrap_or(&session.base_branch))?;
        let worktree = self.worktree_to_rebase(session)?;
        let base = match onto {
            Some(onto) => worktree
                .repository()
                .resolve_base(onto, self.fetch_policy())?,
            None => self.require_base(session, worktree.repository())?,
        };
        let head = self.own_head(session, worktree.repository())?;
        let plan = self.plan_rebase(session, &worktree, &base, head)?;
        let (state, dropped) = self.carry_out(&plan)?;
        let range = (&base.commit, &plan.head);
        let dropped = commits_named(worktree.repository(), range, &dropped)?;
        let view = match state {
            RebaseState::Finished => self.refresh_branch(id, worktree.repository())?,
            _ => self.refresh(id)?,
        };
        Ok(RebaseDone {
            state,
            onto_name: plan.onto_name,
            onto: base.commit.clone(),
            dropped,
            view,
            base: Some(base),
        })
    }

    /// Puts the commits of a session onto a base that was chosen already, if all of them fit. Only for whoever has its lease.
    pub(super) fn rebase_cleanly(&self, session: &Session, base: &Base) -> Result<(), EngineError> {
        let worktree = self.worktree_to_rebase(session)?;
        let head = self.own_head(session, worktree.repository())?;
        let plan = self.plan_rebase(session, &worktree, base, head)?;
        match &plan.replay {
            Replay::Clean { head, .. } => self.move_onto_base(&plan, head).map(|_| ()),
            Replay::Conflict(stop) => {
                Err(MergeError::conflicts(&session.id, &base.name, &stop.merge).into())
            }
        }
    }

    fn plan_rebase<'a>(
        &self,
        session: &'a Session,
        worktree: &'a Worktree,
        base: &'a Base,
        head: CommitId,
    ) -> Result<Plan<'a>, EngineError> {
        let repository = worktree.repository();
        let onto_name = name_of_base(&base.name, base.remote.as_ref());
        let onto = (&base.name, &base.commit);
        let commits = self.commits_onto(session, repository, onto, &head)?;
        let onto = (&base.commit, onto_name.as_str());
        let OwnReplay { commits, replay } = self.replay_own(repository, onto, &head, commits)?;
        Ok(Plan {
            session,
            worktree,
            base,
            onto_name,
            head,
            commits,
            replay,
        })
    }

    fn worktree_to_rebase(&self, session: &Session) -> Result<Worktree, EngineError> {
        let worktree = self.worktree_of(session)?;
        self.require_own_branch(session, &worktree)?;
        worktree.clear_stale_locks()?;
        Ok(worktree)
    }

    fn carry_out(&self, plan: &Plan<'_>) -> Result<(RebaseState, Vec<CommitId>), EngineError> {
        match &plan.replay {
            Replay::Clean { head, dropped, .. } => {
                Ok((self.move_onto_base(plan, head)?, dropped.clone()))
            }
            Replay::Conflict(stop) => {
                self.stop_at(plan, stop)?;
                Ok((RebaseState::Conflicted, stop.dropped.clone()))
            }
        }
    }

    fn move_onto_base(&self, plan: &Plan<'_>, head: &CommitId) -> Result<RebaseState, EngineError> {
        let (session, repository) = (plan.session, plan.worktree.repository());
        let after = plan.landing(head);
        if *head == plan.head {
            if after != session.landing() {
                self.record_landing(session, &after, "base")?;
            }
            return Ok(RebaseState::UpToDate);
        }
        let advance = advance_of(&session.branch, &plan.head, head);
        repository.check_advance(&advance)?;
        let kept = self.keep_commits(session, repository, &plan.head, head)?;
        let change = Change::Checkout {
            branch: session.branch.clone(),
            from: plan.head.clone(),
            to: head.clone(),
        };
        let draft = Draft {
            after,
            snapshot: Some(&kept),
            ..Draft::new(session, OperationKind::Rebase, change, plan.summary())
        };
        self.operate(&draft, || self.advance(repository, &advance))?;
        Ok(RebaseState::Finished)
    }

    fn stop_at(&self, plan: &Plan<'_>, stop: &RebaseStop) -> Result<(), EngineError> {
        let (session, worktree) = (plan.session, plan.worktree);
        require_clean(&worktree.status()?)?;
        let kept = self.take_snapshot(session, worktree, SnapshotScope::Worktree)?;
        let rebase = plan.in_git();
        let draft = Draft {
            after: plan.landing_at(stop),
            snapshot: Some(&kept),
            ..Draft::new(
                session,
                OperationKind::Rebase,
                Change::Worktree { restoring: None },
                format!("{}, stopped at {}", plan.summary(), stop.at.short()),
            )
        };
        self.operate(&draft, || {
            worktree
                .stop_rebase(&rebase, stop, &|step| self.pass_rebase_step(step))
                .map_err(HistoryError::from)?;
            Ok(worktree.record_left(&kept)?)
        })?;
        self.tell_conflict(session)
    }

    /// A conflict needs the user, who may look at something else by now.
    fn tell_conflict(&self, session: &Session) -> Result<(), EngineError> {
        if let Some(found) = self.newest_notification(&session.id)? {
            self.notify(found.event, &Some(found.notice));
        }
        Ok(())
    }

    fn pass_rebase_step(&self, step: RebaseStep) {
        match step {
            RebaseStep::Recorded => self.failpoints.pass("rebase.recorded"),
            RebaseStep::HeadMoved => self.failpoints.pass("rebase.head_moved"),
            RebaseStep::FilesWritten => self.failpoints.pass("rebase.files_written"),
            RebaseStep::IndexWritten => self.failpoints.pass("rebase.index_written"),
            RebaseStep::Committed => self.failpoints.pass("rebase.committed"),
            RebaseStep::BranchMoved => self.failpoints.pass("rebase.branch_moved"),
            RebaseStep::Attached => self.failpoints.pass("rebase.attached"),
        }
    }
}

impl Plan<'_> {
    fn in_git(&self) -> RebasePlan {
        RebasePlan {
            branch: self.session.branch.clone(),
            from: self.head.clone(),
            onto: self.base.commit.clone(),
            onto_label: self.onto_name.clone(),
            commits: self.commits.clone(),
        }
    }

    /// What is recorded of the session while its rebase waits at a conflict.
    fn landing_at(&self, stop: &RebaseStop) -> Landing {
        let rebase = orchestra_core::Rebase {
            base_branch: self.base.name.clone(),
            base_remote: self.base.remote.clone(),
            onto: self.base.commit.clone(),
            original: self.head.clone(),
            stopped_at: stop.at.clone(),
            rest: stop.rest.clone(),
        };
        Landing {
            rebase: Some(rebase),
            ..self.session.landing()
        }
    }

    /// What is recorded of the session once its branch is at `head`, on top of the base. What had landed and has nothing of its
    /// own there has landed still.
    fn landing(&self, head: &CommitId) -> Landing {
        let before = self.session.landing();
        let has_landed = |landed: &Landed| landed.head == self.head && *head == self.base.commit;
        let landed = match before.landed {
            Some(landed) if has_landed(&landed) => Some(Landed {
                head: head.clone(),
                ..landed
            }),
            landed => landed,
        };
        Landing {
            base_branch: self.base.name.clone(),
            base_remote: self.base.remote.clone(),
            base_commit: self.base.commit.clone(),
            landed,
            ..before
        }
    }

    fn summary(&self) -> String {
        let count = self.commits.len();
        format!("{count} commit(s) onto {}", self.onto_name)
    }
}

fn require_other(session: &Session, onto: &BranchName) -> Result<(), HistoryError> {
    if *onto != session.branch {
        return Ok(());
    }
    Err(HistoryError::OntoItself {
        branch: onto.clone(),
    })
}

/// A conflict takes the place of the files, so nothing else may be uncommitted. What git does not track stays.
fn require_clean(status: &Status) -> Result<(), HistoryError> {
    match status.tracked() {
        paths if paths.is_empty() => Ok(()),
        paths => Err(RebaseError::Uncommitted(paths).into()),
    }
}
