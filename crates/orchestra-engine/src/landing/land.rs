//! `land`: several sessions one after another, each on top of the ones before it, and each tested there.

use orchestra_core::{
    Change, CommitId, Landing, OperationKind, ScriptRun, Session, SessionId, SessionName,
    dependency_order,
};
use orchestra_git::{FetchPolicy, Replay, ReplayRequest, Repository};

use super::merge::plan::conflicted_paths;
use super::merge::target::Target;
use super::{LandStep, MergeDone, MergeError, MergeOrder, MergeRequest, OnStep};
use crate::operations::{Draft, advance_of};
use crate::script::{ScriptOrder, ScriptPlace};
use crate::view::SessionView;
use crate::{Engine, EngineError};

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
        let mut is_stopped = false;
        for id in self.landing_order(request)? {
            let view = self.session(&id)?;
            let state = match is_stopped {
                true => LandState::Waiting,
                false => self
                    .land_one(&view, request, on_step)
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
        view: &SessionView,
        request: &LandRequest,
        on_step: OnStep<'_>,
    ) -> Result<LandState, EngineError> {
        let session = &view.session;
        let repository = self.repository_of(session)?;
        let head = repository.require_branch(&session.branch)?;
        if let Some(landed) = session.landed.as_ref().filter(|it| it.head == head) {
            let commit = landed.commit.clone();
            return Ok(LandState::LandedBefore { commit });
        }
        self.put_on_base(&session.id, &request.order.merge)?;
        if let Some(run) =
            self.run_unless_passed(&session.id, || on_step(view, LandStep::ScriptStarts))?
        {
            return Ok(LandState::ScriptFailed(run));
        }
        let done = self.merge_session(&session.id, &request.order, on_step)?;
        Ok(LandState::Landed(Box::new(done)))
    }

    /// Runs the session's script unless it passed on these very files. Gives back a run that failed.
    fn run_unless_passed(
        &self,
        id: &SessionId,
        starting: impl FnOnce(),
    ) -> Result<Option<ScriptRun>, EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        let (name, command) = match self.script_of(session, None) {
            Ok(found) => found,
            Err(EngineError::ScriptMissing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        if self.has_script_passed(session)? {
            return Ok(None);
        }
        starting();
        let run = self.run_script_here(&ScriptOrder {
            session,
            iteration: None,
            name: &name,
            command: &command,
            place: ScriptPlace::Worktree,
        })?;
        Ok((!run.has_passed()).then_some(run))
    }

    /// Puts a session on top of its base, if that needs no decision.
    fn put_on_base(&self, id: &SessionId, request: &MergeRequest) -> Result<(), EngineError> {
        let (_lease, view) = self.take_at_rest(id)?;
        let session = &view.session;
        let repository = self.repository_of(session)?;
        let into = request.into.as_ref();
        let target = self.target(session, &repository, into, FetchPolicy::Never)?;
        let head = repository.require_branch(&session.branch)?;
        if repository.landed(&head, target.tip())?.is_some()
            || repository.is_ancestor(target.tip(), &head)?
        {
            return Ok(());
        }
        let to = self.replay_on(session, &repository, &target, &head)?;
        self.move_onto(session, &repository, &target, (&head, &to))?;
        self.refresh(id)?;
        Ok(())
    }

    fn replay_on(
        &self,
        session: &Session,
        repository: &Repository,
        target: &Target,
        head: &CommitId,
    ) -> Result<CommitId, EngineError> {
        let replay = repository.replay(&ReplayRequest {
            onto: target.tip().clone(),
            onto_label: target.branch().to_string(),
            commits: repository.commits_to_replay(target.tip(), head)?,
            committer: self.stamp(repository)?,
        })?;
        match replay {
            Replay::Clean { head, .. } => Ok(head),
            Replay::Conflict(stop) => Err(MergeError::Conflicts {
                session: session.id.clone(),
                into: target.branch().clone(),
                files: conflicted_paths(&stop.merge),
            }
            .into()),
        }
    }

    fn move_onto(
        &self,
        session: &Session,
        repository: &Repository,
        target: &Target,
        (from, to): (&CommitId, &CommitId),
    ) -> Result<(), EngineError> {
        let branch = &session.branch;
        let advance = advance_of(branch, from, to);
        repository.check_advance(&advance)?;
        let change = Change::Checkout {
            branch: branch.clone(),
            from: from.clone(),
            to: to.clone(),
        };
        let kept = self.snapshot_for(session, repository, &change)?;
        let draft = Draft {
            after: Landing {
                base_commit: target.tip().clone(),
                ..session.landing()
            },
            snapshot: Some(&kept),
            ..Draft::new(
                session,
                OperationKind::Rebase,
                change,
                format!("onto `{}`", target.branch()),
            )
        };
        self.operate(&draft, || self.advance(repository, &advance))
    }
}
