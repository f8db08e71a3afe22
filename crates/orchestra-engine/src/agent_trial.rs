//! A turn of an agent outside of any session, to see whether it works: in a repository of its own that is thrown away.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use orchestra_agents::{Agent, Equipment, Features, TurnRequest};
use orchestra_core::{AgentEvent, Decision, FailureCause, PermissionPolicy};
use orchestra_process::{Ended, Marker, OnLoss, ProcessEvent, Supervised, supervise};

use crate::agent::ReadyAgent;
use crate::agent_probe::AT_A_LOOK;
use crate::output::{Line, OutputTap};
use crate::runner::{Conversation, LimitWatch};
use crate::{Engine, EngineError};

const PROMPT: &str =
    "This is a test of the connection. Reply with one short sentence. Do not use any tool.";
const LOOK: Duration = Duration::from_millis(50);
/// An agent that gave its answer may still have to put it away.
const AFTER_ANSWER: Duration = Duration::from_secs(10);

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
        let features = ready.features(self, AT_A_LOOK);
        let settings = write_settings(&ready.agent, &features, place.path())?;
        let turn = ready.agent.turn(&TurnRequest {
            program: &ready.program,
            features: &features,
            worktree: &worktree,
            prompt: PROMPT,
            thread: None,
            model: model.as_deref(),
            mode: None,
            environment: &ready.environment,
            log_file: &place.path().join("agent.log"),
            permissions: PermissionPolicy::Rules,
            spent: None,
            equipment: Equipment::default(),
            settings_file: settings.as_deref(),
        });
        let tap = |name: &str| -> Result<OutputTap, EngineError> {
            let file = File::create_new(place.path().join(name));
            let file = file.map_err(|source| EngineError::io("keep what it says", source))?;
            Ok(OutputTap::into_file(file, &self.redactor))
        };
        let taps = [tap("stdout")?, tap("stderr")?];
        let started = Instant::now();
        let marker = self.marker_of_trial(place.path())?;
        let agent = supervise(
            &self.guardian(),
            &turn.command,
            &self.resource_limits(),
            &marker,
            OnLoss::End,
        )?;
        let trial = Trial {
            engine: self,
            conversation: Conversation::new(self, turn.decoder),
            heard,
            limit,
            ending: None,
        };
        let end = trial.follow(agent, taps);
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
    engine: &'a Engine,
    conversation: Conversation<'a>,
    heard: &'a mut dyn FnMut(&AgentEvent),
    limit: Duration,
    /// Why we end it, if that is before its answer.
    ending: Option<FailureCause>,
}

impl Trial<'_> {
    fn follow(mut self, mut agent: Supervised, [mut out, mut err]: [OutputTap; 2]) -> AgentEvent {
        let mut limits = LimitWatch::within(self.engine, Some(self.limit));
        let ended: Ended = loop {
            match agent.next(LOOK) {
                Some(ProcessEvent::Stdout(chunk)) => {
                    limits.heard(chunk.len());
                    warn_of(out.push(&chunk, &mut |line| self.line(&line)));
                }
                Some(ProcessEvent::Stderr(chunk)) => {
                    limits.heard(chunk.len());
                    warn_of(err.push(&chunk, &mut |line| self.complaint(&line)));
                }
                Some(ProcessEvent::Exited(ended)) => break ended,
                None => {}
            }
            self.conversation.reply(&mut agent);
            self.enforce(&mut agent, &mut limits);
            self.conversation.signal_if_due(&agent, &mut limits);
        };
        warn_of(out.finish(&mut |line| self.line(&line)));
        let rest = self.conversation.decoder.rest();
        self.take_in(rest);
        warn_of(err.finish(&mut |line| self.complaint(&line)));
        let said = self.conversation.finish(ended.exit);
        self.ending.map_or(said, |cause| AgentEvent::Failed {
            cause,
            message: self.why_ended(cause),
        })
    }

    fn enforce(&mut self, agent: &mut Supervised, limits: &mut LimitWatch) {
        if limits.acted {
            return;
        }
        if self.ending.is_some() {
            limits.acted = true;
            return self.conversation.kill(agent);
        }
        let is_late = if self.conversation.decoder.is_over() {
            limits.is_late_after_result(AFTER_ANSWER)
        } else {
            self.ending = limits.exceeded();
            self.ending.is_some()
        };
        if is_late {
            limits.acted = true;
            self.conversation.ask_to_end(agent);
        }
    }

    fn line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        let events = self.conversation.line(line);
        self.take_in(events);
        match self.ending {
            // What follows is a login link, which is a secret.
            Some(FailureCause::NotLoggedIn) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn take_in(&mut self, events: Vec<AgentEvent>) {
        for event in events {
            match &event {
                AgentEvent::PermissionAsked { id, .. } => {
                    self.conversation.decoder.decide(id, Decision::Reject);
                }
                AgentEvent::Failed {
                    cause: FailureCause::NotLoggedIn,
                    ..
                } => self.ending = Some(FailureCause::NotLoggedIn),
                _ => {}
            }
            (self.heard)(&self.engine.safe_to_keep(event));
        }
    }

    fn complaint(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        // Told only if the agent ends without a result.
        let _kept = self.conversation.complaint(line);
        ControlFlow::Continue(())
    }

    fn why_ended(&self, cause: FailureCause) -> String {
        match cause {
            FailureCause::TimedOut => format!("it gave no answer within {:?}", self.limit),
            _ => self.engine.limit_message(cause, self.limit),
        }
    }
}

/// Nothing a test is for needs a tool.
fn write_settings(
    agent: &Agent,
    features: &Features,
    place: &Path,
) -> Result<Option<PathBuf>, EngineError> {
    let Some(settings) = agent.refusing_settings(features) else {
        return Ok(None);
    };
    let file = place.join("settings.json");
    std::fs::write(&file, settings)
        .map_err(|source| EngineError::io("write what the agent may do", source))?;
    Ok(Some(file))
}

fn warn_of(written: std::io::Result<()>) {
    if let Err(error) = written {
        tracing::warn!(%error, "what the agent says cannot be kept");
    }
}
