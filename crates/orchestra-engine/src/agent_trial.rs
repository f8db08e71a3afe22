//! A turn of an agent outside of any session, to see whether it works: in a repository of its own that is thrown away.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use orchestra_agents::{Decoder, TurnRequest};
use orchestra_core::{AgentEvent, Decision, FailureCause, PermissionPolicy};
use orchestra_process::{
    Ended, Marker, OnLoss, ProcessEvent, ResourceLimits, Stop, Supervised, supervise,
};

use crate::agent::ReadyAgent;
use crate::output::{Line, OutputTap};
use crate::runner::{too_long, without_escapes};
use crate::{Engine, EngineError};

const PROMPT: &str =
    "This is a test of the connection. Reply with one short sentence. Do not use any tool.";
const LOOK: Duration = Duration::from_millis(50);
/// An agent that gave its answer may still have to put it away.
const AFTER_ANSWER: Duration = Duration::from_secs(10);
const STDERR_TAIL: usize = 4_000;

/// How a trial went.
#[derive(Debug, Clone)]
pub struct AgentTrial {
    /// How the turn ended: always `awaiting_input`, `finished` or `failed`.
    pub end: AgentEvent,
    /// How long it took.
    pub took: Duration,
}

impl AgentTrial {
    /// Whether the agent answered.
    #[must_use]
    pub const fn has_passed(&self) -> bool {
        !matches!(self.end, AgentEvent::Failed { .. })
    }
}

impl Engine {
    /// Runs one turn of an agent in an empty repository, and hands on what it says.
    ///
    /// # Errors
    /// If the agent cannot be used or started.
    pub fn try_agent(
        &self,
        name: &str,
        limit: Duration,
        heard: &mut dyn FnMut(&AgentEvent),
    ) -> Result<AgentTrial, EngineError> {
        let ready = ReadyAgent::find(self, name)?;
        let place = tempfile::tempdir()
            .map_err(|source| EngineError::io("make a directory for the trial", source))?;
        let worktree = place.path().join("repository");
        self.git()?.make_repository(&worktree)?;
        let model = self.agent_model(name);
        let turn = ready.agent.turn(&TurnRequest {
            program: &ready.program,
            features: &ready.features(self),
            worktree: &worktree,
            prompt: PROMPT,
            thread: None,
            model: model.as_deref(),
            environment: &ready.environment,
            log_file: &place.path().join("agent.log"),
            permissions: PermissionPolicy::Rules,
            settings_file: None,
            spent: None,
        });
        let started = Instant::now();
        let marker = self.marker_of_trial(place.path())?;
        let child = supervise(
            &self.guardian(),
            &turn.command,
            &ResourceLimits::default(),
            &marker,
            OnLoss::End,
        )?;
        let tap = |name: &str| -> Result<OutputTap, EngineError> {
            let file = File::create_new(place.path().join(name));
            let file = file.map_err(|source| EngineError::io("keep what it says", source))?;
            Ok(OutputTap::into_file(file, &self.redactor))
        };
        let trial = Trial {
            decoder: turn.decoder,
            heard,
            stderr_tail: String::new(),
            ending: None,
        };
        let end = trial.follow(self, child, [tap("stdout")?, tap("stderr")?], limit);
        Ok(AgentTrial {
            end,
            took: started.elapsed(),
        })
    }

    fn marker_of_trial(&self, place: &Path) -> Result<Marker, EngineError> {
        let epoch = self.store.epoch()?;
        let place = place.file_name().unwrap_or_default().to_string_lossy();
        Ok(Marker::new(
            orchestra_config::variables::ORCHESTRA_RUN,
            format!("{epoch}:trial:{place}"),
        ))
    }
}

struct Trial<'a> {
    decoder: Box<dyn Decoder>,
    heard: &'a mut dyn FnMut(&AgentEvent),
    stderr_tail: String,
    /// Why we ended it, if that was before its answer.
    ending: Option<FailureCause>,
}

impl Trial<'_> {
    fn follow(
        mut self,
        engine: &Engine,
        mut child: Supervised,
        [mut stdout, mut stderr]: [OutputTap; 2],
        limit: Duration,
    ) -> AgentEvent {
        let started = Instant::now();
        let mut answered = None;
        let ended: Ended = loop {
            let written = match child.next(LOOK) {
                Some(ProcessEvent::Stdout(chunk)) => {
                    stdout.push(&chunk, &mut |line| self.line(&line))
                }
                Some(ProcessEvent::Stderr(chunk)) => {
                    stderr.push(&chunk, &mut |line| self.complaint(&line))
                }
                Some(ProcessEvent::Exited(ended)) => break ended,
                None => Ok(()),
            };
            if let Err(error) = written {
                tracing::warn!(%error, "what the agent says cannot be kept");
            }
            child.send(&self.decoder.take_replies());
            if self.decoder.is_over() {
                child.close_input();
                answered.get_or_insert_with(Instant::now);
            }
            self.end_if_late(engine, &child, started.elapsed() > limit, answered);
        };
        let written = stdout
            .finish(&mut |line| self.line(&line))
            .and_then(|()| stderr.finish(&mut |line| self.complaint(&line)));
        if let Err(error) = written {
            tracing::warn!(%error, "what the agent says cannot be kept");
        }
        let said = self.decoder.finish(ended.exit, &self.stderr_tail);
        match self.ending {
            Some(cause) => AgentEvent::Failed {
                cause,
                message: match cause {
                    FailureCause::NotLoggedIn => "the agent is not logged in".to_owned(),
                    _ => format!("it gave no answer within {limit:?}"),
                },
            },
            None => said,
        }
    }

    fn end_if_late(
        &mut self,
        engine: &Engine,
        child: &Supervised,
        is_late: bool,
        answered: Option<Instant>,
    ) {
        if self.ending == Some(FailureCause::NotLoggedIn) {
            child.stop(Stop::Kill);
        } else if answered.is_some_and(|at| at.elapsed() > AFTER_ANSWER) {
            child.stop(engine.graceful_stop());
        } else if is_late && self.ending.is_none() && answered.is_none() {
            self.ending = Some(FailureCause::TimedOut);
            child.stop(engine.graceful_stop());
        }
    }

    fn line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        let events = match line {
            Line::Whole(bytes) => self.decoder.line(bytes),
            Line::TooLong { bytes } => vec![too_long(*bytes)],
        };
        for event in events {
            match &event {
                AgentEvent::PermissionAsked { id, .. } => {
                    self.decoder.decide(id, Decision::Reject);
                }
                AgentEvent::Failed {
                    cause: FailureCause::NotLoggedIn,
                    ..
                } => self.ending = Some(FailureCause::NotLoggedIn),
                _ => {}
            }
            (self.heard)(&event);
        }
        match self.ending {
            // What follows is a login link, which is a secret.
            Some(FailureCause::NotLoggedIn) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn complaint(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        if let Line::Whole(bytes) = line
            && self.stderr_tail.len() < STDERR_TAIL
        {
            let text = without_escapes(&String::from_utf8_lossy(bytes));
            self.stderr_tail.push_str(&text);
            self.stderr_tail.push('\n');
        }
        ControlFlow::Continue(())
    }
}
