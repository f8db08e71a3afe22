//! `merge`: the work becomes part of its base.

mod error;
pub(super) mod plan;
pub(super) mod target;

use std::path::PathBuf;

use orchestra_core::{
    BranchName, Change, CheckLine, CheckName, CheckState, CommitId, Landed, Landing, Operation,
    OperationKind, Session, SessionId,
};
use orchestra_git::Repository;

pub use error::MergeError;
pub use plan::{MergeMode, MergedAs};
use plan::{Plan, Wanted};

use crate::operations::{Draft, advance_of};
use crate::view::SessionView;
use crate::{Engine, EngineError};

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
}

impl Engine {
    /// Makes a session's work part of its base, together with the files of the checkout that has the base.
    ///
    /// # Errors
    /// If something works on the session, a required check fails, there is a conflict, or the base cannot move; nothing is
    /// changed then.
    pub fn merge(&self, id: &SessionId, request: &MergeRequest) -> Result<Merged, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        let repository = self.repository_of(session)?;
        let head = repository.require_branch(&session.branch)?;
        require_landable(&view, &head)?;
        let plan = self.plan_merge(Wanted {
            session,
            repository: &repository,
            target: self.target(session, &repository, request.into.as_ref())?,
            head,
            mode: &request.mode,
            message: request.message.as_deref(),
        })?;
        let overridden = self.require_checks(session, &repository, &plan, &request.overridden)?;
        let target = &plan.target;
        let advance = advance_of(&target.branch, &target.from, &plan.to);
        let checkout = repository.check_advance(&advance)?;
        self.do_merge(session, &repository, &plan, &overridden)?;
        Ok(Merged {
            view: self.refresh(id)?,
            into: plan.target.branch,
            from: plan.target.from,
            commit: plan.to,
            how: plan.how,
            checkout,
            is_partial: !plan.is_whole,
            overridden,
        })
    }

    /// A merge that others may have built on cannot be taken back.
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
        match self.repository_of(session)?.remote_branch_with(to)? {
            Some(remote_branch) => Err(MergeError::Pushed {
                branch: branch.clone(),
                commit: to.clone(),
                remote_branch,
            }
            .into()),
            None => Ok(()),
        }
    }

    fn do_merge(
        &self,
        session: &Session,
        repository: &Repository,
        plan: &Plan,
        overridden: &[CheckName],
    ) -> Result<(), EngineError> {
        let target = &plan.target;
        let change = Change::Checkout {
            branch: target.branch.clone(),
            from: target.from.clone(),
            to: plan.to.clone(),
        };
        let kept = self.snapshot_for(session, repository, &change)?;
        let names: Vec<_> = overridden.iter().map(ToString::to_string).collect();
        let summary = summary(session, plan);
        let draft = Draft {
            after: self.landing_after(session, plan),
            snapshot: Some(&kept),
            overridden: &names,
            ..Draft::new(session, OperationKind::Merge, change, summary)
        };
        self.operate(&draft, || {
            let advance = advance_of(&target.branch, &target.from, &plan.to);
            self.advance(repository, &advance)
        })
    }

    fn landing_after(&self, session: &Session, plan: &Plan) -> Landing {
        let landed = Landed {
            at: self.now(),
            into: plan.target.branch.clone(),
            commit: plan.to.clone(),
            head: plan.head.clone(),
        };
        Landing {
            landed: plan.is_whole.then_some(landed),
            ..session.landing()
        }
    }

    /// The checks that fail and are passed over, if no other required one fails.
    fn require_checks(
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
        if failed.is_empty() {
            return Ok(passed_over.into_iter().map(|line| line.name).collect());
        }
        Err(MergeError::Checks {
            session: session.id.clone(),
            failed,
        }
        .into())
    }
}

/// What the branch got after it landed can land too.
fn require_landable(view: &SessionView, head: &CommitId) -> Result<(), EngineError> {
    let id = &view.session.id;
    if view.session.rebase.is_some() {
        return Err(EngineError::WrongState {
            session: id.clone(),
            status: view.status,
            why: "a rebase waits at a conflict",
            way_out: format!(
                "resolve it and `orchestra session rebase {id} --continue`, or give it up with --abort"
            ),
        });
    }
    match &view.session.landed {
        Some(landed) if landed.head == *head => Err(MergeError::Landed {
            session: id.clone(),
            into: landed.into.clone(),
            commit: landed.commit.clone(),
        }
        .into()),
        _ => Ok(()),
    }
}

fn summary(session: &Session, plan: &Plan) -> String {
    let (name, into, to) = (&session.name, &plan.target.branch, plan.to.short());
    match plan.how {
        MergedAs::AlreadyThere => format!("{name} was part of `{into}` already"),
        MergedAs::CherryPick => format!("some commits of {name} into `{into}` ({to})"),
        MergedAs::FastForward | MergedAs::MergeCommit | MergedAs::Squash => {
            format!("{name} into `{into}` ({to})")
        }
    }
}
