//! Starting an iteration: check, queue, hand over to a runner.

use std::time::{Duration, Instant};

use orchestra_agents::Features;
use orchestra_core::status::Outcome;
use orchestra_core::{
    EventBody, Iteration, IterationNumber, Progress, Session, SessionId, SessionStatus,
    visible_line,
};
use orchestra_process::{CommandSpec, ProcessIdentity, spawn_detached};
use orchestra_store::NewIteration;

use crate::agent::ReadyAgent;
use crate::change::busy;
use crate::engine::RUN_ITERATION;
use crate::engine::RUNNER_MODE;
use crate::landing::require_not_in_trash;
use crate::loss::Loss;
use crate::output;
use crate::places::open_append_only;
use crate::setup::{SetupNeed, require_set_up};
use crate::view::{SessionView, tell_status};
use crate::{Engine, EngineError};

/// What an iteration is asked for with.
#[derive(Debug, Clone, Default)]
pub struct StartIteration {
    /// What the user adds: notes, or the answer to a question.
    pub input: Option<String>,
    /// Leave the changes uncommitted.
    pub no_commit: bool,
    /// Whether the session must be set up.
    pub setup: SetupNeed,
    /// Which conversation it belongs to.
    pub thread: ThreadChoice,
    /// The iteration that it answers: it is refused if another answer was first.
    pub answers: Option<IterationNumber>,
}

/// Which conversation of the agent an iteration belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ThreadChoice {
    /// The session's, which goes on.
    #[default]
    Continued,
    /// A new one, which is told what happened before.
    New,
}

/// More characters of somebody else's answer are not shown.
const SHOWN_ANSWER: usize = 300;

/// How long a runner may take to report for work on a loaded machine.
const HAND_OVER: Duration = Duration::from_secs(30);

impl Engine {
    /// Starts an iteration in the background and answers once its runner has taken over.
    ///
    /// # Errors
    /// If something works on the session already, its directory is missing, or the agent cannot be used.
    pub fn start_iteration(
        &self,
        id: &SessionId,
        request: &StartIteration,
    ) -> Result<Iteration, EngineError> {
        self.recover_session(id)?;
        let _start = self.take_start(id)?;
        let view = self.session(id)?;
        require_first_answer(&view, request.answers)?;
        require_startable(&view)?;
        require_set_up(self, &view, request.setup)?;
        require_answered(&view, request)?;
        if !request.no_commit && view.session.rebase.is_none() {
            let worktree = self.worktree_of(&view.session)?;
            self.require_own_branch(&view.session, &worktree)?;
            worktree.repository().require_identity()?;
        }
        self.require_agent(&view.session)?;
        self.session_environment(id)?;
        let iteration = self.queue_iteration(id, request)?;
        self.failpoints.pass("iterate.queued");
        match self.hand_over(&iteration) {
            Ok(()) => Ok(iteration),
            Err(error) => {
                self.withdraw(&iteration, &error)?;
                Err(error)
            }
        }
    }

    /// Refuses a session whose agent could not be started as it should be.
    pub(crate) fn require_agent(&self, session: &Session) -> Result<(), EngineError> {
        self.require_runtime(session)?;
        self.require_budget(session)?;
        let placed = self.placed_for(session)?;
        let ready = ReadyAgent::find(placed.as_ref().unwrap_or(self), &session.agent)?;
        self.require_obedience(session, &ready.agent, &Features::default())
    }

    /// Answers the agent's question: the next turn of the same conversation.
    ///
    /// # Errors
    /// If the agent did not ask anything.
    pub fn answer(&self, id: &SessionId, text: &str) -> Result<Iteration, EngineError> {
        let view = self.session(id)?;
        self.require_question(&view)?;
        if text.trim().is_empty() {
            return Err(EngineError::Invalid {
                problem: "the answer is empty".to_owned(),
                way_out: Some("say something to the agent".to_owned()),
            });
        }
        let asked = view.iteration.as_ref();
        let request = StartIteration {
            input: Some(text.to_owned()),
            no_commit: asked.is_some_and(|iteration| !iteration.commit),
            answers: asked.map(|iteration| iteration.number),
            // The conversation goes on as it began.
            setup: SetupNeed::Waived,
            ..StartIteration::default()
        };
        self.start_iteration(id, &request).or_else(|error| {
            // Whoever was first may be at work already, which alone would say little.
            require_first_answer(&self.session(id)?, request.answers)?;
            Err(error)
        })
    }

    /// Refuses a session whose agent does not wait for words.
    ///
    /// # Errors
    /// If nothing was asked, or a permission.
    pub fn require_question(&self, view: &SessionView) -> Result<(), EngineError> {
        if !view.questions.is_empty() {
            return Err(wants_decision(view));
        }
        if view.status == SessionStatus::AwaitingInput || may_have_asked(view) {
            return Ok(());
        }
        if view.parked().is_some() {
            return Err(busy(view));
        }
        if self.is_about_an_answer(view)? {
            return Err(answered_already(view));
        }
        let id = &view.session.id;
        Err(EngineError::WrongState {
            session: id.clone(),
            status: view.status,
            why: "nothing was asked",
            way_out: format!(
                "start a new iteration with `orchestra session iterate {id} --notes \"...\"`"
            ),
        })
    }

    /// Whether what runs was begun with the answer to a question.
    fn is_about_an_answer(&self, view: &SessionView) -> Result<bool, EngineError> {
        let Some(latest) = view.iteration.as_ref() else {
            return Ok(false);
        };
        if latest.progress.is_finished() || latest.input.is_none() || latest.number.0 <= 1 {
            return Ok(false);
        }
        let before = self.iteration(&latest.session, IterationNumber(latest.number.0 - 1))?;
        Ok(before.progress == Progress::Finished(Outcome::AwaitingInput))
    }

    fn queue_iteration(
        &self,
        id: &SessionId,
        request: &StartIteration,
    ) -> Result<Iteration, EngineError> {
        let input = request.input.as_deref().map(|text| self.redact(text));
        self.write(|tx| {
            let view = self.view_in(tx, id)?;
            self.require_turn(tx, &view.session)?;
            let before = view.status;
            if request.thread == ThreadChoice::New {
                tx.set_thread(id, None)?;
            }
            let iteration = tx.insert_iteration(&NewIteration {
                session: id,
                input: input.as_deref(),
                commit: !request.no_commit,
                queued_at: self.now(),
            })?;
            tx.append_event(
                Some(id),
                &EventBody::IterationQueued {
                    iteration: iteration.number,
                },
            )?;
            tell_status(tx, id, before, SessionStatus::Queued)?;
            Ok(iteration)
        })
    }

    /// Starts the runner and waits until it holds the session's lease.
    fn hand_over(&self, iteration: &Iteration) -> Result<(), EngineError> {
        let arguments = [
            RUN_ITERATION,
            iteration.session.as_str(),
            &iteration.number.to_string(),
        ]
        .map(str::to_owned);
        self.start_runner(&iteration.session, &arguments, &self.flags, || {
            let current = self.iteration(&iteration.session, iteration.number)?;
            Ok(current.runner.is_some() || current.progress.is_finished())
        })
    }

    /// Starts this program detached in runner mode and waits until `took_over` says so.
    pub(crate) fn start_runner(
        &self,
        session: &SessionId,
        arguments: &[String],
        flags: &[(String, String)],
        took_over: impl Fn() -> Result<bool, EngineError>,
    ) -> Result<(), EngineError> {
        let log_path = self.dirs.runner_log(session.as_str());
        let log = open_append_only(&log_path)
            .map_err(|source| EngineError::io("open the runner's log", source))?;
        let spec = CommandSpec::new(&self.program, self.dirs.root())
            .arg(RUNNER_MODE)
            .args(arguments)
            .args(flags.iter().map(|(key, value)| format!("{key}={value}")))
            .envs(self.environment.iter());
        let said_before = log.metadata().map_or(0, |metadata| metadata.len());
        let pid = spawn_detached(&spec, log)?;
        let runner = ProcessIdentity::of(pid);
        let deadline = Instant::now() + HAND_OVER;
        while !took_over()? {
            let alive = runner.is_some_and(|runner| runner.is_alive());
            if !alive && !took_over()? || Instant::now() > deadline {
                let detail = output::tail_since(&log_path, said_before, 2_000).unwrap_or_default();
                let detail = if detail.trim().is_empty() {
                    "it ended without a word".to_owned()
                } else {
                    detail.trim().to_owned()
                };
                return Err(EngineError::RunnerFailed { detail });
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// The iteration never began: it is closed, so that the session can be used again.
    fn withdraw(&self, iteration: &Iteration, error: &EngineError) -> Result<(), EngineError> {
        let message = self.redact(&error.to_string());
        let current = self.iteration(&iteration.session, iteration.number)?;
        if current.runner.is_some() || current.progress != Progress::Queued {
            // The runner came after all; what it does is recorded by itself.
            return Ok(());
        }
        self.interrupt_iteration(current, &message)
    }
}

/// Whether the last words of an agent at rest have a question that was not taken for one.
fn may_have_asked(view: &SessionView) -> bool {
    let last = view.iteration.as_ref();
    let said = last.and_then(|iteration| iteration.summary.as_deref());
    view.status == SessionStatus::Idle && said.is_some_and(|text| text.contains('?'))
}

/// Refuses an answer to something that somebody else answered meanwhile.
fn require_first_answer(
    view: &SessionView,
    answers: Option<IterationNumber>,
) -> Result<(), EngineError> {
    let latest = view.iteration.as_ref().map(|iteration| iteration.number);
    match answers {
        Some(_) if answers != latest => Err(answered_already(view)),
        _ => Ok(()),
    }
}

fn answered_already(view: &SessionView) -> EngineError {
    let id = &view.session.id;
    let given = view.iteration.as_ref().and_then(|it| it.input.as_deref());
    let given: String = visible_line(given.unwrap_or_default())
        .chars()
        .take(SHOWN_ANSWER)
        .collect();
    EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why: "it was answered already",
        way_out: format!(
            "the answer was \"{given}\"; `orchestra session attach {id}` shows what the agent does with it"
        ),
    }
}

/// Words do not tell whether an agent may use a tool.
pub(crate) fn wants_decision(view: &SessionView) -> EngineError {
    let id = &view.session.id;
    EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why: "it asks for a permission",
        way_out: format!(
            "`orchestra session answer {id} --allow` or `--reject`, with words if you like"
        ),
    }
}

/// A question that the agent asked is not dropped without a word.
fn require_answered(view: &SessionView, request: &StartIteration) -> Result<(), EngineError> {
    if view.status != SessionStatus::AwaitingInput || request.input.is_some() {
        return Ok(());
    }
    if !view.questions.is_empty() {
        return Err(wants_decision(view));
    }
    let id = &view.session.id;
    Err(EngineError::WrongState {
        session: id.clone(),
        status: view.status,
        why: "the agent would not get one",
        way_out: format!(
            "`orchestra session answer {id} \"...\"`, or `iterate {id} --notes \"...\"` for something else"
        ),
    })
}

pub(crate) fn require_startable(view: &SessionView) -> Result<(), EngineError> {
    require_usable(view)?;
    if view.work().is_some() {
        return Err(busy(view));
    }
    Ok(())
}

/// Makes sure that a session is one that something can run in, whatever does already.
pub(crate) fn require_usable(view: &SessionView) -> Result<(), EngineError> {
    let id = &view.session.id;
    require_not_in_trash(&view.session)?;
    if view.session.archived_at.is_some() {
        return Err(EngineError::WrongState {
            session: id.clone(),
            status: view.status,
            why: "it was put away",
            way_out: format!("bring it back with `orchestra session archive {id} --undo`"),
        });
    }
    if !view.session.worktree_ready {
        return Err(busy(view));
    }
    require_place(view)
}

/// Makes sure that the session's repository and directory are there.
pub(crate) fn require_place(view: &SessionView) -> Result<(), EngineError> {
    match view.loss() {
        None => Ok(()),
        Some(Loss::Repository) => Err(EngineError::RepositoryMissing {
            root: view.repository.root.clone(),
        }),
        Some(Loss::Branch | Loss::Directory | Loss::Link) => Err(EngineError::WorktreeMissing {
            session: view.session.id.clone(),
            worktree: view.session.worktree.clone(),
        }),
    }
}
