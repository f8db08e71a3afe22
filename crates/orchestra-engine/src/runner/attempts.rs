//! The agent's turn, tried again while its provider is overloaded. What was edited stays, and the conversation goes on.

use std::time::{Duration, Instant};

use orchestra_agents::{Zones, retry_at};
use orchestra_core::status::Outcome;
use orchestra_core::{
    AgentPause, Backoff, EventBody, FailureCause, Progress, Refusal, SessionStatus, TimeZone,
    Timestamp,
};
use orchestra_git::Worktree;

use super::IterationRun;
use super::commit::Before;
use super::provider::{First, Wait};
use super::record::Recorder;
use super::reported::Reported;
use super::turn::TurnEnd;
use crate::engine::random_bytes;
use crate::guard;
use crate::view::tell_status;
use crate::{Engine, EngineError};

/// What comes before the prompt for an agent that was cut off in the middle of its work. Not every agent remembers it.
const GO_ON: &str = "The model provider was overloaded and cut off your last turn. What you changed until then is there. Go on \
                     with what is left of it:";

/// What the attempts of a turn came to so far.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// How often the provider refused this session.
    pub(super) refusals: u32,
    /// How often it refused this one or others with the same agent, since this one waits.
    pub(super) tries: u32,
    /// How often the provider had refused anybody when this session first kept to the pause.
    strikes_met: Option<u32>,
    /// Whether a model said anything before the provider refused.
    pub(super) was_answered: bool,
    /// What the provider said last.
    pub(super) why: Option<String>,
    /// When this session tries again at the earliest, whatever others meet.
    pub(super) not_before: Option<Timestamp>,
    /// Lines of output; the end of an attempt counts as one.
    pub(super) lines: u64,
    /// Bytes of output.
    pub(super) heard: u64,
    /// What the agent reported.
    pub(super) reported: Reported,
    /// How long the agent ran.
    pub(super) spent: Duration,
}

impl Attempts {
    /// Counts the tries of all sessions that wait for the same provider: each of them would learn the same from its own.
    pub(super) fn count_tries(&mut self, pause: Option<&AgentPause>) {
        let Some(pause) = pause else {
            self.strikes_met = None;
            return;
        };
        let met = *self.strikes_met.get_or_insert(pause.strikes);
        let own = u32::from(self.refusals > 0);
        self.tries = self.refusals.max(pause.strikes.saturating_sub(met) + own);
    }
}

impl IterationRun<'_> {
    /// Runs the agent until its turn is over, or the provider has refused it too often.
    pub(super) fn run_agent(
        &mut self,
        worktree: &Worktree,
        before: &mut Before,
    ) -> Result<TurnEnd, EngineError> {
        loop {
            self.remembering =
                self.engine
                    .begin_guard(&self.session, worktree, &mut self.iteration);
            let mut prompt = self.prompt(worktree, before)?;
            if self.attempts.was_answered {
                prompt = format!("{GO_ON}\n\n{prompt}");
            }
            let end = self.attempt(worktree, &prompt)?;
            if !self.is_refused(&end) {
                return Ok(end);
            }
            if self.attempts.refusals > self.retries() {
                return Ok(self.given_up(end));
            }
            self.conclude_guard()?;
            self.keep_attempt(&end)?;
            self.admitted.slot = None;
            let left = self.files_left(worktree)?;
            let wait = self.wait_to_start()?;
            if let Some(left) = left {
                self.keep_changes_since(worktree, &left, before)?;
            }
            match wait {
                Wait::Over => self.begin_again()?,
                Wait::Stopped => return Ok(stopped(end)),
                Wait::GivenUp => return Ok(self.given_up(end)),
            }
        }
    }

    fn attempt(&mut self, worktree: &Worktree, prompt: &str) -> Result<TurnEnd, EngineError> {
        let (began, clock) = (self.engine.now(), Instant::now());
        let mut admitted = std::mem::take(&mut self.admitted);
        admitted.first.iter_mut().for_each(First::begin);
        let strikes = admitted.first.as_ref().map_or(0, |first| first.strikes);
        let remembering = self.remembering.take();
        let watch = remembering.and_then(|it| self.engine.remembered(it, &mut self.iteration));
        self.failpoints("runner.guarded");
        let held = self.hold(worktree);
        let end = held.and_then(|held| self.run_turn(worktree, prompt, admitted, held.as_ref()));
        self.failpoints("runner.fetch_due");
        self.fetch_workspace(worktree)?;
        self.failpoints("runner.guard_due");
        if let Some(watch) = watch {
            let (session, number) = (&self.session, self.iteration.number);
            let comparing = self
                .engine
                .begin_to_compare(session, worktree, watch, number)?;
            self.comparing = Some(comparing);
        }
        let mut end = end?;
        self.admitted.slot = end.admitted.slot.take();
        self.attempts.spent += clock.elapsed();
        // Nobody else may go first before what this one met is written.
        let _first = end.admitted.first.take();
        if self.is_refused(&end) {
            self.note_refusal(&end, began, strikes)?;
        }
        Ok(end)
    }

    /// Waits until it is known what changed outside of the worktree, and tells it, also in the transcript.
    pub(super) fn conclude_guard(&mut self) -> Result<(), EngineError> {
        let Some(comparing) = self.comparing.take() else {
            return Ok(());
        };
        let engine = self.engine;
        engine.end_guard(&self.session, comparing, &mut self.iteration)?;
        let (id, number) = (&self.session.id, self.iteration.number);
        if let Some(note) = guard::note(id, self.iteration.isolation.as_ref()) {
            let mut recorder = Recorder::new(engine, id, number);
            recorder.say(note);
            recorder.write();
        }
        Ok(())
    }

    fn is_refused(&self, end: &TurnEnd) -> bool {
        end.outcome == Outcome::Blocked(FailureCause::Overloaded) && self.retries() > 0
    }

    pub(super) fn retries(&self) -> u32 {
        self.engine.config().agents.retries
    }

    /// Tells all sessions with this agent, and decides when this one tries again.
    fn note_refusal(
        &mut self,
        end: &TurnEnd,
        began: Timestamp,
        strikes: u32,
    ) -> Result<(), EngineError> {
        let engine = self.engine;
        let why = end.message.clone().unwrap_or_default();
        let at = engine.now();
        let refusal = Refusal {
            began,
            at,
            named: named_time(at, &why),
            why: &why,
        };
        let backoff = Backoff {
            first: engine.config().agents.retry_after,
            chance: random_bytes::<1>()?[0],
        };
        engine.pause_agent(&self.session.agent, &refusal, backoff, strikes)?;
        self.attempts.refusals += 1;
        self.attempts.tries = self.attempts.tries.max(self.attempts.refusals);
        self.attempts.not_before = Some(backoff.next_try(&refusal, self.attempts.refusals));
        self.attempts.why = Some(why);
        Ok(())
    }

    /// Records what the attempt reported, so that whoever goes on after a crash knows the conversation.
    fn keep_attempt(&mut self, end: &TurnEnd) -> Result<(), EngineError> {
        self.attempts.lines = end.lines;
        self.attempts.heard = end.heard;
        self.attempts.was_answered |= end.has_answered;
        self.attempts.reported = end.reported.clone();
        let prices = self.engine.prices();
        end.reported.fill_in(&mut self.iteration, &prices);
        self.session.thread.clone_from(&end.reported.thread);
        let (iteration, session) = (&self.iteration, &self.session);
        self.engine.write(|tx| {
            tx.put_iteration(iteration)?;
            Ok(tx.set_thread(&session.id, session.thread.as_deref())?)
        })
    }

    fn begin_again(&mut self) -> Result<(), EngineError> {
        self.iteration.progress = Progress::Agent;
        let (engine, iteration) = (self.engine, &self.iteration);
        let (retry, lines) = (self.attempts.tries, self.attempts.lines);
        // What was set while it waited holds from here on.
        self.session = engine.write_stream(|tx| {
            tx.put_iteration(iteration)?;
            tx.begin_attempt(iteration.key, lines)?;
            let resumed = EventBody::IterationResumed {
                iteration: iteration.number,
                retry,
            };
            tx.append_event(Some(&iteration.session), &resumed)?;
            let (from, to) = (SessionStatus::Queued, SessionStatus::Running);
            tell_status(tx, &iteration.session, from, to)?;
            Ok(engine.view_in(tx, &iteration.session)?.session)
        })?;
        Ok(())
    }

    fn given_up(&self, end: TurnEnd) -> TurnEnd {
        let message = Some(self.tried_in_vain());
        TurnEnd { message, ..end }
    }

    /// What the provider said last, and how often it was asked.
    pub(super) fn tried_in_vain(&self) -> String {
        let Attempts {
            refusals, tries, ..
        } = self.attempts;
        let why = self.attempts.why.as_deref().unwrap_or_default();
        match refusals == tries {
            true => format!("{why} (tried {tries} times)"),
            false => {
                format!("{why} (tried {tries} times, counting other sessions with this agent)")
            }
        }
    }
}

impl Engine {
    /// Makes all sessions with an agent wait. `strikes` is what whoever tried first knew of.
    fn pause_agent(
        &self,
        agent: &str,
        refusal: &Refusal<'_>,
        backoff: Backoff,
        strikes: u32,
    ) -> Result<(), EngineError> {
        self.write_stream(|tx| {
            let known = tx.agent_pause(agent)?;
            // An agent may have said something before it was refused, so that the pause was lifted too early.
            let lifted = (strikes > 0).then(|| AgentPause {
                until: refusal.began,
                since: refusal.began,
                strikes,
                why: String::new(),
            });
            let pause = AgentPause::after(known.or(lifted).as_ref(), refusal, backoff);
            Ok(tx.put_agent_pause(agent, &pause)?)
        })
    }

    /// The provider answers: sessions that wait for it may go on.
    pub(super) fn lift_pause(&self, agent: &str) {
        let lifted = self.write_stream(|tx| Ok(tx.lift_agent_pause(agent)?));
        if let Err(error) = lifted {
            tracing::warn!(code = error.code(), %error, agent, "cannot end the pause of the agent");
        }
    }
}

/// The time at which the provider wants to be asked again; one without a zone is that of this machine.
fn named_time(now: Timestamp, why: &str) -> Option<Timestamp> {
    let zones = Zones {
        local: &TimeZone::system(),
        named: &|name| TimeZone::get(name).ok(),
    };
    retry_at(now, why, zones)
}

/// The turn as it counts after the user has stopped the wait for another try.
fn stopped(end: TurnEnd) -> TurnEnd {
    TurnEnd {
        outcome: Outcome::Stopped,
        message: Some("stopped while it waited for the agent's provider".to_owned()),
        ..end
    }
}
