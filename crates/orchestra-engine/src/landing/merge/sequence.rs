//! A merge and what follows it: the command that is set for then, the push of the base, the cleanup. What comes after a step
//! that failed is not done, and can be asked for again.

use orchestra_core::{CommitId, Landed, MergedAs, ScriptRun, SessionId};

use super::{MergeRequest, Merged};
use crate::landing::{Cleaned, PushDone};
use crate::project_commands::ProjectCommand;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// A merge and what is to follow it.
#[derive(Debug, Clone, Default)]
pub struct MergeOrder {
    /// The merge itself.
    pub merge: MergeRequest,
    /// What runs then, in the main checkout.
    pub after_merge: Option<ProjectCommand>,
    /// Whether the base is pushed to its remote then.
    pub push: bool,
}

/// A session that landed, and what followed.
#[derive(Debug)]
pub struct MergeDone {
    /// How it landed.
    pub merged: Merged,
    /// What followed.
    pub afterwards: Afterwards,
}

/// What was done after a session landed; the merge stands, whatever became of it. `None`: it was not wanted, or something
/// before it failed.
#[derive(Debug, Default)]
pub struct Afterwards {
    /// The command that is set for after a merge.
    pub after_merge: Option<Result<ScriptRun, EngineError>>,
    /// The push of the base.
    pub push: Option<Result<PushDone, EngineError>>,
    /// The cleanup, by setting.
    pub cleanup: Option<Result<Cleaned, EngineError>>,
}

/// What happens to a session on its way, in the order it happens.
#[derive(Debug, Clone, Copy)]
pub enum LandStep<'a> {
    /// Its commits were put on top of the base.
    Rebased {
        /// What the base is called, such as `main` or `origin/main`.
        onto_name: &'a str,
        /// Its commit.
        onto: &'a CommitId,
    },
    /// Its script runs there.
    ScriptStarts,
    /// The base has moved since its script began: once more.
    BaseMoved,
    /// It is part of the base.
    Landed(&'a Merged),
    /// The command that is set for after a merge runs.
    AfterMergeStarts,
    /// The base is pushed.
    PushStarts,
}

/// Told of every step.
pub type OnStep<'a> = &'a mut dyn FnMut(&SessionView, LandStep<'_>);

impl Engine {
    /// Lands a session, then does what is to follow.
    ///
    /// # Errors
    /// If it cannot land; nothing is changed then. What goes wrong afterwards is part of the answer.
    pub fn merge_session(
        &self,
        id: &SessionId,
        order: &MergeOrder,
        on_step: OnStep<'_>,
    ) -> Result<MergeDone, EngineError> {
        let merged = self.merge(id, &order.merge)?;
        Ok(self.after_landing(merged, order, on_step))
    }

    /// Does what is left to do for a session that has landed.
    ///
    /// # Errors
    /// If it has not landed.
    pub fn finish_landed(
        &self,
        id: &SessionId,
        order: &MergeOrder,
        on_step: OnStep<'_>,
    ) -> Result<Afterwards, EngineError> {
        let view = self.session(id)?;
        require_landed(&view)?;
        Ok(self.follow_up(&view, order, on_step))
    }

    /// What follows a merge that was made now.
    pub(in crate::landing) fn after_landing(
        &self,
        merged: Merged,
        order: &MergeOrder,
        on_step: OnStep<'_>,
    ) -> MergeDone {
        on_step(&merged.view, LandStep::Landed(&merged));
        let brought_nothing = merged.how == MergedAs::AlreadyThere;
        let order = MergeOrder {
            after_merge: order.after_merge.clone().filter(|_| !brought_nothing),
            ..order.clone()
        };
        let afterwards = self.follow_up(&merged.view, &order, on_step);
        MergeDone { merged, afterwards }
    }

    fn follow_up(&self, view: &SessionView, order: &MergeOrder, on_step: OnStep<'_>) -> Afterwards {
        let id = &view.session.id;
        let mut done = Afterwards::default();
        if let Some(command) = &order.after_merge {
            on_step(view, LandStep::AfterMergeStarts);
            done.after_merge = Some(self.run_after_merge(id, command));
        }
        if order.push && !done.has_failed() {
            on_step(view, LandStep::PushStarts);
            done.push = Some(self.push_landed(id, None));
        }
        let has_landed = view.session.landed.is_some() && view.session.trash.is_none();
        if has_landed && !done.has_failed() {
            done.cleanup = self.cleanup_after_landing(id).transpose();
        }
        done
    }
}

/// Where and as what a session landed.
pub(in crate::landing) fn require_landed(view: &SessionView) -> Result<&Landed, EngineError> {
    let id = &view.session.id;
    let landed = view.session.landed.as_ref();
    landed.ok_or_else(|| EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why: "it has not landed",
        way_out: format!("`orchestra session merge {id}` lands it"),
    })
}

impl Afterwards {
    /// Whether something that was wanted did not go well. A cleanup can wait.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let command = self.after_merge.as_ref();
        let command_failed =
            command.is_some_and(|run| !run.as_ref().is_ok_and(ScriptRun::has_passed));
        command_failed || matches!(self.push, Some(Err(_)))
    }
}
