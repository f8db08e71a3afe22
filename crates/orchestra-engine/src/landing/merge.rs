//! `merge`: the work becomes part of its base.

mod error;
pub(super) mod in_conflict;
pub(super) mod plan;
mod sequence;
pub(super) mod target;

use std::path::PathBuf;

use orchestra_core::{
    BranchName, Change, CheckLine, CheckName, CheckState, CommitId, Landed, Landing, MergedAs,
    Operation, OperationKind, PassedOver, Session, SessionId,
};
use orchestra_git::{AdvanceError, Base, FetchPolicy, Repository};

pub use error::MergeError;
pub use in_conflict::InConflict;
pub use plan::MergeMode;
use plan::{Plan, Wanted};
pub(super) use sequence::require_landed;
pub use sequence::{Afterwards, LandStep, MergeDone, MergeOrder, OnStep};
use target::Target;

use crate::operations::Draft;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// How often a merge is tried whose base moves at the same moment.
const ATTEMPTS: u32 = 5;

/// How a session is to land.
#[derive(Debug, Clone, Default)]
pub struct MergeRequest {
    /// In which form.
    pub mode: MergeMode,
    /// On which branch; `None` means its base.
    pub into: Option<BranchName>,
    /// The message of the merge commit or of the squashed one.
    pub message: Option<String>,
    /// Checks that are passed over.
    pub overridden: Vec<CheckName>,
}

/// A session that landed.
#[derive(Debug, Clone)]
pub struct Merged {
    /// The session as it is now.
    pub view: SessionView,
    /// The branch that has it.
    pub into: BranchName,
    /// Where that branch was.
    pub from: CommitId,
    /// What the work was put onto, and how fresh it is.
    pub base: Base,
    /// Where it is now.
    pub commit: CommitId,
    /// In which form.
    pub how: MergedAs,
    /// The checkout whose files came along.
    pub checkout: Option<PathBuf>,
    /// Whether some of the session's commits were left out.
    pub is_partial: bool,
    /// Checks that failed and were passed over.
    pub overridden: Vec<CheckName>,
    /// Whether that was done by an earlier merge which was cut off.
    pub is_from_before: bool,
}

impl Engine {
    /// Makes a session's work part of its base, together with the files of the checkout that has the base. The remote of the
    /// base is asked first.
    ///
    /// # Errors
    /// If something works on the session, a required check fails, there is a conflict, or the base cannot move; nothing is
    /// changed then.
    pub(super) fn merge(
        &self,
        id: &SessionId,
        request: &MergeRequest,
    ) -> Result<Merged, EngineError> {
        match self.merge_now(id, request) {
            Err(EngineError::Merge(
                error @ (MergeError::Landed { .. } | MergeError::Nothing { .. }),
            )) => match self.hear_of(id, |done| done.kind == OperationKind::Merge)? {
                Some(done) => self.merged_before(id, &done),
                None => Err(error.into()),
            },
            merged => merged,
        }
    }

    fn merge_now(&self, id: &SessionId, request: &MergeRequest) -> Result<Merged, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let repository = self.repository_of(&view.session)?;
        let mut target = self.landing_target(&view, &repository, request, self.fetch_policy())?;
        let _lock = repository.lock_for_landing()?;
        let mut attempts = 1..ATTEMPTS;
        loop {
            match self.merge_into(&view, &repository, request, target) {
                // Somebody committed there at this moment: what is new is part of the next attempt.
                Err(error) if is_moved(&error) && attempts.next().is_some() => {
                    target =
                        self.landing_target(&view, &repository, request, FetchPolicy::Never)?;
                }
                merged => return merged,
            }
        }
    }

    /// Where a session lands, if it can land at all.
    pub(super) fn landing_target(
        &self,
        view: &SessionView,
        repository: &Repository,
        request: &MergeRequest,
        policy: FetchPolicy,
    ) -> Result<Target, EngineError> {
        let session = &view.session;
        let head = self.own_head(session, repository)?;
        require_landable(view, repository, &head)?;
        self.target(session, repository, request.into.as_ref(), policy)
    }

    /// Makes the work part of a branch, if that still is where it was seen. Only for whoever has the session's lease.
    pub(super) fn merge_into(
        &self,
        view: &SessionView,
        repository: &Repository,
        request: &MergeRequest,
        target: Target,
    ) -> Result<Merged, EngineError> {
        let session = &view.session;
        let plan = self.plan_merge(Wanted {
            session,
            repository,
            target,
            head: self.own_head(session, repository)?,
            mode: &request.mode,
            message: request.message.as_deref(),
        })?;
        let overridden = self.require_checks(session, repository, &plan, &request.overridden)?;
        let _others = self.take_others_at_rest(session, repository, plan.target.branch())?;
        let checkout = repository.check_advance(&plan.advance())?;
        self.do_merge(session, repository, &plan, &overridden)?;
        Ok(Merged {
            view: self.refresh_branch(&session.id, repository)?,
            into: plan.target.branch().clone(),
            from: plan.target.from,
            base: plan.target.base,
            commit: plan.to,
            how: plan.how,
            checkout,
            is_partial: !plan.is_whole,
            overridden,
            is_from_before: false,
        })
    }

    /// A merge that was cut off and finished, as if it had just been done: what follows a merge has not been done yet.
    fn merged_before(&self, id: &SessionId, done: &Operation) -> Result<Merged, EngineError> {
        let view = self.refresh(id)?;
        let Change::Checkout { branch, from, to } = &done.change else {
            return Err(EngineError::FinishedBefore {
                operation: Box::new(done.clone()),
            });
        };
        let repository = self.repository_of(&view.session)?;
        let check = |passed_over: &PassedOver| match passed_over {
            PassedOver::Check(name) => Some(*name),
            PassedOver::Unlanded | PassedOver::Dirty => None,
        };
        Ok(Merged {
            into: branch.clone(),
            from: from.clone(),
            base: repository.resolve_base(branch, FetchPolicy::Never)?,
            commit: to.clone(),
            how: merged_as(&repository, done, (from, to))?,
            checkout: None,
            is_partial: done.after.landed.is_none(),
            overridden: done.overridden.iter().filter_map(check).collect(),
            is_from_before: true,
            view,
        })
    }

    /// A merge that others may have built on cannot be taken back. What a remote has of the session's own branch is not the base.
    pub(crate) fn require_unpushed(
        &self,
        session: &Session,
        operation: &Operation,
    ) -> Result<(), EngineError> {
        let (OperationKind::Merge, Change::Checkout { branch, from, to }) =
            (operation.kind, &operation.change)
        else {
            return Ok(());
        };
        // What brought nothing to the base takes nothing away from it either.
        if from == to {
            return Ok(());
        }
        let repository = self.repository_of(session)?;
        for (remote, tip) in repository.seen_on_remotes(branch)? {
            if repository.is_ancestor(to, &tip)? {
                return Err(MergeError::Pushed {
                    branch: branch.clone(),
                    commit: to.clone(),
                    remote_branch: format!("{remote}/{branch}"),
                }
                .into());
            }
        }
        Ok(())
    }

    fn do_merge(
        &self,
        session: &Session,
        repository: &Repository,
        plan: &Plan,
        overridden: &[CheckName],
    ) -> Result<(), EngineError> {
        let change = Change::Checkout {
            branch: plan.target.branch().clone(),
            from: plan.target.from.clone(),
            to: plan.to.clone(),
        };
        let kept = self.snapshot_for(session, repository, &change)?;
        let passed_over: Vec<_> = overridden.iter().copied().map(PassedOver::Check).collect();
        let summary = summary(session, plan);
        let draft = Draft {
            after: self.landing_after(session, plan),
            snapshot: Some(&kept),
            overridden: &passed_over,
            ..Draft::new(session, OperationKind::Merge, change, summary)
        };
        self.operate(&draft, || self.advance(repository, &plan.advance()))
    }

    fn landing_after(&self, session: &Session, plan: &Plan) -> Landing {
        let landed = Landed {
            at: self.now(),
            into: plan.target.branch().clone(),
            commit: plan.to.clone(),
            head: plan.head.clone(),
        };
        Landing {
            landed: plan.is_whole.then_some(landed),
            ..session.landing()
        }
    }

    /// The checks that fail and are passed over, if no other required one fails.
    pub(super) fn require_checks(
        &self,
        session: &Session,
        repository: &Repository,
        plan: &Plan,
        overridden: &[CheckName],
    ) -> Result<Vec<CheckName>, EngineError> {
        if plan.how == MergedAs::AlreadyThere {
            return Ok(Vec::new());
        }
        let required = &self.config().landing.required_checks;
        let lines = self.check_plan(session, repository, plan)?;
        let fails = |line: &CheckLine| line.state == CheckState::Fail;
        let (passed_over, failed): (Vec<_>, Vec<_>) = lines
            .into_iter()
            .filter(|line| fails(line) && required.contains(&line.name))
            .partition(|line| overridden.contains(&line.name));
        let passed_over: Vec<_> = passed_over.into_iter().map(|line| line.name).collect();
        if failed.is_empty() {
            return Ok(passed_over);
        }
        Err(MergeError::Checks {
            session: session.id.clone(),
            failed,
            overridden: passed_over,
            caller: self.caller().cloned(),
        }
        .into())
    }
}

/// In which form a merge was done, by what it made.
fn merged_as(
    repository: &Repository,
    done: &Operation,
    (from, to): (&CommitId, &CommitId),
) -> Result<MergedAs, EngineError> {
    if from == to {
        return Ok(MergedAs::AlreadyThere);
    }
    let Some(landed) = &done.after.landed else {
        return Ok(MergedAs::CherryPick);
    };
    if landed.head == *to {
        return Ok(MergedAs::FastForward);
    }
    let newest = repository.log(from, to, 1)?.pop();
    let is_merge = newest.is_some_and(|commit| commit.parents.len() > 1);
    Ok(match is_merge {
        true => MergedAs::MergeCommit,
        false => MergedAs::Squash,
    })
}

/// What the branch got after it landed can land too, and so can all of it if its base does not have it any more.
fn require_landable(
    view: &SessionView,
    repository: &Repository,
    head: &CommitId,
) -> Result<(), EngineError> {
    let id = &view.session.id;
    if let Some(way_out) = conflict_way_out(&view.session) {
        return Err(EngineError::WrongState {
            session: id.clone(),
            status: view.status,
            why: "a rebase waits at a conflict",
            way_out,
        });
    }
    match view.standing(repository, head) {
        Some(landed) => Err(MergeError::Landed {
            session: id.clone(),
            into: landed.into.clone(),
            commit: landed.commit.clone(),
        }
        .into()),
        None => Ok(()),
    }
}

/// What ends a rebase that waits at a conflict, if there is one.
pub(super) fn conflict_way_out(session: &Session) -> Option<String> {
    let id = &session.id;
    session.rebase.as_ref().map(|_| {
        format!(
            "resolve it and `orchestra session rebase {id} --continue`, or give it up with --abort"
        )
    })
}

/// Whether a branch was not where it was seen any more.
pub(super) fn is_moved(error: &EngineError) -> bool {
    matches!(error, EngineError::Advance(AdvanceError::Moved { .. }))
}

fn summary(session: &Session, plan: &Plan) -> String {
    let (name, into, to) = (&session.name, plan.target.branch(), plan.to.short());
    match plan.how {
        MergedAs::AlreadyThere => format!("{name} was part of `{into}` already"),
        MergedAs::CherryPick => format!("some commits of {name} into `{into}` ({to})"),
        MergedAs::FastForward | MergedAs::MergeCommit | MergedAs::Squash => {
            format!("{name} into `{into}` ({to})")
        }
    }
}
