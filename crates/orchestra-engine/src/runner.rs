//! The runner: a detached process that carries one iteration from the queue to its end. Faces only start it and follow
//! the store.

mod attempts;
mod budget;
mod commit;
mod conflict;
mod conversation;
mod finish;
mod hold;
mod limits;
mod meanwhile;
mod prompt;
mod provider;
mod queue;
mod record;
mod reported;
mod turn;

use std::time::Duration;

use orchestra_core::status::Outcome;
use orchestra_core::{
    EventBody, FailureCause, GitFacts, Iteration, IterationNumber, Progress, Runner,
    SESSION_SCRIPT, ScriptResult, Session, SessionId, SessionStatus, Timestamp,
};
use orchestra_git::{InProgress, WorkspaceError, Worktree};
use orchestra_process::{ProcessError, ProcessIdentity};
use orchestra_store::Tx;

use crate::change::busy;
use crate::guard::{Comparing, Remembering};
use crate::lease::Held;
use crate::runtime::RuntimeError;
use crate::script::{ScriptOrder, ScriptPlace};
use crate::view::tell_status;
use crate::{Engine, EngineError};

use attempts::Attempts;
pub use budget::BudgetUse;
use commit::Before;
pub(crate) use conversation::{Conversation, too_long};
use finish::EndedIteration;
use finish::patiently;
pub(crate) use finish::status_before;
pub(crate) use limits::LimitWatch;
use provider::{Admitted, Wait};
pub(crate) use reported::Reported;
use turn::TurnEnd;

/// Somebody who only looks at the lease holds it for an instant.
pub(crate) const LEASE_PATIENCE: Duration = Duration::from_secs(10);

/// One iteration while it runs.
pub(crate) struct IterationRun<'a> {
    engine: &'a Engine,
    session: Session,
    iteration: Iteration,
    /// Ports that had to move before it began; told however it ends.
    port_note: Option<String>,
    /// What lets its agent run.
    admitted: Admitted,
    attempts: Attempts,
    /// A look around the worktree before the agent starts.
    remembering: Option<Remembering>,
    /// The same after it ended.
    comparing: Option<Comparing>,
}

impl Engine {
    /// Runs a queued iteration to its end. Called in a process of its own.
    ///
    /// # Errors
    /// If the iteration cannot even be recorded as failed.
    pub fn run_iteration(
        &self,
        id: &SessionId,
        number: IterationNumber,
    ) -> Result<(), EngineError> {
        let lease = self.take_run(id)?;
        let Some(iteration) = self.take_over(id, number)? else {
            // Whoever started it was ended first, and somebody else closed it since.
            return Ok(());
        };
        self.failpoints.pass("runner.took_over");
        let session = self.session(id)?.session;
        let run = IterationRun {
            engine: self,
            session,
            iteration,
            port_note: None,
            admitted: Admitted::default(),
            attempts: Attempts::default(),
            remembering: None,
            comparing: None,
        };
        let ended = run.run()?;
        // A desktop that is slow to answer, or a large database, keeps nobody waiting.
        drop(lease);
        self.notify(ended.event, &ended.notice);
        self.back_up_if_due();
        Ok(())
    }
}

impl Engine {
    /// The runner's lease.
    pub(crate) fn take_run(&self, id: &SessionId) -> Result<Held, EngineError> {
        let lease = self
            .leases
            .run(id, LEASE_PATIENCE)
            .map_err(|source| EngineError::io("lock the session", source))?;
        match lease {
            Some(lease) => Ok(lease),
            None => Err(busy(&self.session(id)?)),
        }
    }

    /// Records this process as the runner, unless the iteration was closed or taken meanwhile.
    fn take_over(
        &self,
        id: &SessionId,
        number: IterationNumber,
    ) -> Result<Option<Iteration>, EngineError> {
        self.write_stream(|tx| {
            let waiting = tx.find_iteration(id, number)?.filter(|iteration| {
                iteration.progress == Progress::Queued && iteration.runner.is_none()
            });
            let Some(mut iteration) = waiting else {
                return Ok(None);
            };
            iteration.runner = Some(this_process());
            tx.put_iteration(&iteration)?;
            Ok(Some(iteration))
        })
    }
}

/// This process, as it is recorded.
pub(crate) fn this_process() -> Runner {
    let ProcessIdentity { pid, started } = ProcessIdentity::current();
    Runner { pid, started }
}

impl IterationRun<'_> {
    fn run(mut self) -> Result<EndedIteration, EngineError> {
        match self.wait_to_start()? {
            Wait::Over => {}
            Wait::Stopped => {
                let message = match self.iteration.progress {
                    Progress::Parked(_) => "stopped while it waited for the agent's provider",
                    _ => "stopped while it waited in the queue",
                };
                return self.finish(Outcome::Stopped, Some(message.to_owned()));
            }
            Wait::GivenUp => {
                let message = Some(self.tried_in_vain());
                return self.finish(Outcome::Blocked(FailureCause::Overloaded), message);
            }
        }
        match self.placed() {
            Ok(None) => self.work_to_the_end(),
            Ok(Some(placed)) => self.within(&placed).work_to_the_end(),
            Err(error) => self.fail(&error),
        }
    }

    /// The engine in the session's environment, which may have changed while the iteration waited.
    fn placed(&mut self) -> Result<Option<Engine>, EngineError> {
        self.session = self.engine.session(&self.session.id)?.session;
        self.engine.require_runtime(&self.session)?;
        self.engine.placed_for(&self.session)
    }

    fn within(self, engine: &Engine) -> IterationRun<'_> {
        IterationRun {
            engine,
            session: self.session,
            iteration: self.iteration,
            port_note: self.port_note,
            admitted: self.admitted,
            attempts: self.attempts,
            remembering: self.remembering,
            comparing: self.comparing,
        }
    }

    fn work_to_the_end(mut self) -> Result<EndedIteration, EngineError> {
        match self.work() {
            Ok((outcome, message)) => self.finish(outcome, message),
            Err(error) => self.fail(&error),
        }
    }

    fn fail(self, error: &EngineError) -> Result<EndedIteration, EngineError> {
        tracing::error!(code = error.code(), %error, "the iteration failed");
        let mut text = crate::chain::text(error);
        if let Some(hint) = error.hint() {
            text = format!("{text}; {hint}");
        }
        let message = self.engine.redact(&text);
        let cause = match cause_of(error) {
            // Only the agent works there, so it took its own directory away.
            FailureCause::Engine if !self.session.worktree.join(".git").exists() => {
                FailureCause::Other
            }
            cause => cause,
        };
        self.finish(Outcome::Failed(cause), Some(message))
    }

    /// Everything between the slot and the end: what was left by a person, the agent, the commit, the script.
    fn work(&mut self) -> Result<(Outcome, Option<String>), EngineError> {
        let worktree = self.engine.worktree_of(&self.session)?;
        worktree.clear_stale_locks()?;
        let moved = self.engine.make_room_for_work(&self.session.id)?;
        self.port_note = (!moved.is_empty()).then(|| moved.join("; "));
        if self.session.rebase.is_some() {
            return self.work_on_conflict(&worktree);
        }
        if self.iteration.commit {
            self.engine.require_own_branch(&self.session, &worktree)?;
        }
        let mut before = match self.unfinished() {
            Some(_) => Before::LeftOver,
            None => self.keep_human_changes(&worktree)?,
        };
        self.begin(&worktree)?;
        let end = self.run_agent(&worktree, &mut before)?;
        self.failpoints("runner.agent_ended");
        self.record_turn(&end)?;
        self.require_directory()?;
        let commit_note = match self.unfinished() {
            Some(operation) => Ok(Some(unfinished_note(operation))),
            None => self.commit_work(&worktree, &before, &end),
        };
        let git_note = self.engine.record_commits(
            &self.session,
            &worktree,
            before.snapshot(),
            &mut self.iteration,
        )?;
        let commit_note = commit_note?;
        if runs_script(end.outcome) {
            self.run_script_after()?;
        }
        let artifact_note = match self.iteration.script_passed {
            Some(true) => self.engine.collect_artifacts_if_set(&self.session),
            _ => None,
        };
        let notes = [commit_note, git_note, artifact_note];
        let message = joined([end.message, joined(notes)]);
        Ok((self.judged(end.outcome), message))
    }

    /// An agent may have removed its own directory.
    fn require_directory(&self) -> Result<(), EngineError> {
        match self.session.worktree.is_dir() {
            true => Ok(()),
            false => Err(EngineError::WorktreeMissing {
                session: self.session.id.clone(),
                worktree: self.session.worktree.clone(),
            }),
        }
    }

    /// An agent that is content has still not done its work if that is not on the session's branch.
    fn judged(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Succeeded if self.iteration.commit && self.iteration.off_branch.is_some() => {
                Outcome::Failed(FailureCause::OffBranch)
            }
            other => other,
        }
    }

    fn begin(&mut self, worktree: &Worktree) -> Result<(), EngineError> {
        let engine = self.engine;
        self.iteration.progress = Progress::Agent;
        self.iteration.started_at = Some(engine.now());
        self.iteration.head_before = worktree.head()?.commit().cloned();
        // What was set while it waited is told now; what is set from here on, in the next turn.
        self.session = engine.write(|tx| {
            tx.put_iteration(&self.iteration)?;
            forget_dirty(tx, &self.session.id, engine.now())?;
            let id = Some(&self.session.id);
            tx.append_event(
                id,
                &EventBody::IterationStarted {
                    iteration: self.iteration.number,
                },
            )?;
            let (from, to) = (SessionStatus::Queued, SessionStatus::Running);
            tell_status(tx, &self.session.id, from, to)?;
            Ok(engine.view_in(tx, &self.session.id)?.session)
        })?;
        self.failpoints("runner.begun");
        Ok(())
    }

    fn run_script_after(&mut self) -> Result<(), EngineError> {
        let Some(command) = self.session.script.clone() else {
            return Ok(());
        };
        // What the script does is not the agent's doing.
        self.conclude_guard()?;
        let engine = self.engine;
        self.iteration.progress = Progress::Script;
        engine.write_stream(|tx| {
            tx.put_iteration(&self.iteration)?;
            let (from, to) = (SessionStatus::Running, SessionStatus::Evaluating);
            tell_status(tx, &self.session.id, from, to)
        })?;
        let order = ScriptOrder {
            session: &self.session,
            iteration: Some((&self.iteration.number, self.iteration.key)),
            name: SESSION_SCRIPT,
            command: &command,
            place: ScriptPlace::Worktree,
            limit: engine.evaluation_limit(),
        };
        let run = engine.run_script_here(&order)?;
        // A script that was cut off says nothing about the work.
        self.iteration.script_passed = match run.finished.map(|end| end.result) {
            None
            | Some(ScriptResult::Stopped | ScriptResult::Interrupted | ScriptResult::Unrunnable) => {
                None
            }
            Some(ended) => Some(ended.passed()),
        };
        self.failpoints("runner.script_ended");
        Ok(())
    }

    fn failpoints(&self, name: &str) {
        self.engine.failpoints.pass(name);
    }
}

/// What git said of the files is not true any more once an agent works on them, and nobody may be left to ask again.
pub(crate) fn forget_dirty(tx: &Tx<'_>, id: &SessionId, now: Timestamp) -> Result<(), EngineError> {
    if let Some(facts) = tx.git_facts_of(id)? {
        tx.put_git_facts(
            id,
            &GitFacts {
                dirty: None,
                checked_at: now,
                ..facts
            },
        )?;
    }
    Ok(())
}

/// Files in the middle of something would be committed with their conflicts.
fn unfinished_note(operation: InProgress) -> String {
    format!(
        "not committed: the agent left a {operation} in the middle, in its workspace; its next turn goes on with it"
    )
}

/// What there is to say, in one line.
fn joined<const COUNT: usize>(notes: [Option<String>; COUNT]) -> Option<String> {
    let notes: Vec<_> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// A stopped or failed turn is not worth a test run; a question can be answered better with its result.
fn runs_script(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Succeeded | Outcome::AwaitingInput)
}

fn cause_of(error: &EngineError) -> FailureCause {
    match error {
        EngineError::Agent(orchestra_agents::AgentError::NotLoggedIn { .. }) => {
            FailureCause::NotLoggedIn
        }
        EngineError::Agent(orchestra_agents::AgentError::AsksNobody { .. }) => {
            FailureCause::ApprovalRequired
        }
        EngineError::Agent(_) => FailureCause::AgentMissing,
        EngineError::Runtime(RuntimeError::BudgetSpent { .. }) => FailureCause::BudgetSpent,
        // Nothing was run: the machine or the repository does not have what the session wishes.
        EngineError::Runtime(_)
        | EngineError::Process(ProcessError::Sandbox(_))
        | EngineError::Workspace(
            WorkspaceError::NotLinked(_)
            | WorkspaceError::Unsuited(_)
            | WorkspaceError::InProgress(_),
        ) => FailureCause::BadInput,
        _ => FailureCause::Engine,
    }
}

/// What the agent's turn came to, as far as the iteration is concerned.
impl IterationRun<'_> {
    fn record_turn(&mut self, end: &TurnEnd) -> Result<(), EngineError> {
        self.iteration.progress = Progress::Commit;
        end.reported
            .fill_in(&mut self.iteration, &self.engine.prices());
        self.iteration.summary.clone_from(&end.summary);
        let (iteration, session) = (&self.iteration, &self.session);
        // The work is committed next, which needs the store too.
        patiently(|| {
            self.engine.write(|tx| {
                tx.put_iteration(iteration)?;
                if let Some(thread) = &end.reported.thread {
                    tx.set_thread(&session.id, Some(thread))?;
                }
                Ok(())
            })
        })
    }
}
