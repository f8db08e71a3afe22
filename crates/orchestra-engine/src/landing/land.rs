//! `land`: several sessions one after another, each on top of the ones before it, and each tested there.

use std::collections::BTreeSet;

use orchestra_core::{
    CheckName, CommitId, ScriptRun, Session, SessionId, SessionName, dependency_order, name_of_base,
};
use orchestra_git::{FetchPolicy, Replay, Repository};

use super::merge::is_moved;
use super::merge::plan::Wanted;
use super::merge::target::Target;
use super::{LandStep, MergeDone, MergeError, MergeOrder, MergeRequest, Merged, OnStep};
use crate::script::{ScriptOrder, ScriptPlace};
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// How often a session is put on top of a base that moves while its script runs.
const ATTEMPTS: u32 = 3;

/// Sessions that land together.
#[derive(Debug, Clone, Default)]
pub struct LandRequest {
    /// The sessions.
    pub sessions: Vec<SessionId>,
    /// Pairs of which the second lands first.
    pub depends: Vec<(SessionId, SessionId)>,
    /// How each of them lands, and what follows.
    pub order: MergeOrder,
}

/// What became of one of them.
#[derive(Debug)]
pub struct LandRow {
    /// Which session.
    pub session: SessionId,
    /// Its name.
    pub name: SessionName,
    /// What became of it.
    pub state: LandState,
}

/// What became of a session that should land.
#[derive(Debug)]
pub enum LandState {
    /// It landed now.
    Landed(Box<MergeDone>),
    /// It had landed before.
    LandedBefore {
        /// With this commit.
        commit: CommitId,
    },
    /// It could not land, and those after it were not tried.
    Failed(Box<EngineError>),
    /// Its script failed on top of what landed before it.
    ScriptFailed(ScriptRun),
    /// One before it could not land.
    Waiting,
}

impl Engine {
    /// Lands sessions in the order of their dependencies. Stops at the first that cannot land; asked again, it goes on there.
    ///
    /// # Errors
    /// If they depend on each other in a circle or belong to several repositories; nothing is changed then.
    pub fn land(
        &self,
        request: &LandRequest,
        on_step: OnStep<'_>,
    ) -> Result<Vec<LandRow>, EngineError> {
        let mut rows = Vec::new();
        let mut asked = BTreeSet::new();
        let mut is_stopped = false;
        for id in self.landing_order(request)? {
            let view = self.session(&id)?;
            // The remote of a base is asked once, not again for each session.
            let policy = match asked.insert(view.session.base_branch.clone()) {
                true => self.fetch_policy(),
                false => FetchPolicy::Never,
            };
            let state = match is_stopped {
                true => LandState::Waiting,
                false => self
                    .land_one(&id, &request.order, policy, on_step)
                    .unwrap_or_else(|error| LandState::Failed(Box::new(error))),
            };
            is_stopped |= matches!(state, LandState::Failed(_) | LandState::ScriptFailed(_));
            rows.push(LandRow {
                session: id,
                name: view.session.name,
                state,
            });
        }
        Ok(rows)
    }

    fn landing_order(&self, request: &LandRequest) -> Result<Vec<SessionId>, EngineError> {
        let mut sessions: Vec<SessionId> = Vec::new();
        let needed = request.depends.iter().map(|(_, earlier)| earlier);
        for id in request.sessions.iter().chain(needed) {
            if !sessions.contains(id) {
                sessions.push(id.clone());
            }
        }
        let mut repositories = Vec::new();
        for id in &sessions {
            repositories.push(self.session(id)?.session.repository);
        }
        if repositories.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(MergeError::SeveralRepositories.into());
        }
        dependency_order(&sessions, &request.depends).map_err(|circle| {
            MergeError::Circle {
                sessions: circle.iter().map(ToString::to_string).collect(),
            }
            .into()
        })
    }

    fn land_one(
        &self,
        id: &SessionId,
        order: &MergeOrder,
        policy: FetchPolicy,
        on_step: OnStep<'_>,
    ) -> Result<LandState, EngineError> {
        let tried = {
            let (_lease, view) = self.take_at_rest(id)?;
            if let Some(commit) = self.landed_before(&view)? {
                return Ok(LandState::LandedBefore { commit });
            }
            self.test_and_merge(&view, &order.merge, policy, on_step)?
        };
        Ok(match tried {
            Tried::Merged(merged) => {
                LandState::Landed(Box::new(self.after_landing(*merged, order, on_step)))
            }
            Tried::ScriptFailed(run) => LandState::ScriptFailed(run),
        })
    }

    fn landed_before(&self, view: &SessionView) -> Result<Option<CommitId>, EngineError> {
        let session = &view.session;
        let repository = self.repository_of(session)?;
        let head = self.own_head(session, &repository)?;
        let landed = view.standing(&repository, &head);
        Ok(landed.map(|landed| landed.commit.clone()))
    }

    /// Only what was tested lands: if the base moves meanwhile, the work is put on top of it and tested once more.
    fn test_and_merge(
        &self,
        view: &SessionView,
        request: &MergeRequest,
        policy: FetchPolicy,
        on_step: OnStep<'_>,
    ) -> Result<Tried, EngineError> {
        let repository = self.repository_of(&view.session)?;
        let mut target = self.landing_target(view, &repository, request, policy)?;
        for _ in 0..ATTEMPTS {
            let view = self.session(&view.session.id)?;
            self.require_fit(&view, &repository, request, &target)?;
            self.put_on_top(&view, &repository, &target, on_step)?;
            let view = self.session(&view.session.id)?;
            if let Some(run) = self.run_unless_passed(&view, request, on_step)? {
                return Ok(Tried::ScriptFailed(run));
            }
            let _lock = repository.lock_for_landing()?;
            match self.merge_into(&view, &repository, request, target) {
                Err(error) if is_moved(&error) => on_step(&view, LandStep::BaseMoved),
                merged => return Ok(Tried::Merged(Box::new(merged?))),
            }
            target = self.landing_target(&view, &repository, request, FetchPolicy::Never)?;
        }
        Err(MergeError::BaseMoves {
            session: view.session.id.clone(),
            into: target.branch().clone(),
            times: ATTEMPTS,
        }
        .into())
    }

    /// Everything that can be said without changing or running anything, about the work as it would be on top of the base.
    fn require_fit(
        &self,
        view: &SessionView,
        repository: &Repository,
        request: &MergeRequest,
        target: &Target,
    ) -> Result<(), EngineError> {
        let session = &view.session;
        let head = self.own_head(session, repository)?;
        let plan = self.plan_merge(Wanted {
            session,
            repository,
            target: target.clone(),
            head: self.head_on_top(session, repository, target, head)?,
            mode: &request.mode,
            message: request.message.as_deref(),
        })?;
        let mut later = request.overridden.clone();
        later.push(CheckName::Script);
        self.require_checks(session, repository, &plan, &later)
            .map_err(|error| as_asked(error, &request.overridden))?;
        repository.check_advance(&plan.advance())?;
        Ok(())
    }

    /// Where the session's branch would be on top of the base, made in memory.
    fn head_on_top(
        &self,
        session: &Session,
        repository: &Repository,
        target: &Target,
        head: CommitId,
    ) -> Result<CommitId, EngineError> {
        if is_there(repository, target, &head)? {
            return Ok(head);
        }
        let (onto, name) = (target.tip(), target.branch());
        let commits = self.commits_onto(session, repository, (name, onto), &head)?;
        let own = self.replay_own(repository, (onto, name.as_str()), &head, commits)?;
        match own.replay {
            Replay::Clean { head, .. } => Ok(head),
            Replay::Conflict(stop) => {
                Err(MergeError::conflicts(&session.id, name, &stop.merge).into())
            }
        }
    }

    fn put_on_top(
        &self,
        view: &SessionView,
        repository: &Repository,
        target: &Target,
        on_step: OnStep<'_>,
    ) -> Result<(), EngineError> {
        let session = &view.session;
        let head = self.own_head(session, repository)?;
        if is_there(repository, target, &head)? {
            return Ok(());
        }
        self.rebase_cleanly(session, &target.base)?;
        let onto_name = name_of_base(&target.base.name, target.base.remote.as_ref());
        let onto = target.tip();
        on_step(
            view,
            LandStep::Rebased {
                onto_name: &onto_name,
                onto,
            },
        );
        Ok(())
    }

    /// Runs the session's script unless it passed on these very files, or is passed over. Gives back a run that failed.
    fn run_unless_passed(
        &self,
        view: &SessionView,
        request: &MergeRequest,
        on_step: OnStep<'_>,
    ) -> Result<Option<ScriptRun>, EngineError> {
        let session = &view.session;
        let (name, command) = match self.script_of(session, None) {
            Ok(found) => found,
            Err(EngineError::ScriptMissing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_passed_over = request.overridden.contains(&CheckName::Script);
        if is_passed_over || self.has_script_passed(session)? {
            return Ok(None);
        }
        let command = command.about_to_run(self)?;
        on_step(view, LandStep::ScriptStarts);
        let run = self.run_script_here(&ScriptOrder {
            session,
            iteration: None,
            name: &name,
            command,
            place: ScriptPlace::Worktree,
            limit: None,
        })?;
        Ok((!run.has_passed()).then_some(run))
    }
}

/// What came of an attempt to land.
enum Tried {
    Merged(Box<Merged>),
    ScriptFailed(ScriptRun),
}

/// A refusal that names only what the user passed over: the script has yet to run.
fn as_asked(error: EngineError, asked: &[CheckName]) -> EngineError {
    match error {
        EngineError::Merge(MergeError::Checks {
            session,
            failed,
            mut overridden,
            caller,
        }) => {
            overridden.retain(|name| asked.contains(name));
            MergeError::Checks {
                session,
                failed,
                overridden,
                caller,
            }
            .into()
        }
        error => error,
    }
}

/// Whether work is part of the base, or on top of it.
fn is_there(
    repository: &Repository,
    target: &Target,
    head: &CommitId,
) -> Result<bool, EngineError> {
    let tip = target.tip();
    Ok(repository.is_ancestor(tip, head)? || repository.landed(head, tip)?.is_some())
}
