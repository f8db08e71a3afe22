//! Waiting until an agent's provider may be asked. All sessions with one agent share its provider: after a pause one of
//! them goes first, and the others follow one after the other once it got an answer.

use std::time::{Duration, Instant};

use orchestra_core::{
    AgentEvent, AgentPause, EventBody, Parked, Progress, Role, SessionStatus, Timestamp,
};
use orchestra_store::{ControlTarget, NewItem, Tx};

use super::IterationRun;
use super::attempts::Attempts;
use super::finish::status_before;
use super::record::append_items;
use crate::EngineError;
use crate::lease::Held;
use crate::view::tell_status;

/// How long nobody looks whether the wait is over or was stopped.
const LOOK: Duration = Duration::from_millis(200);
/// The longest gap between sessions that go on after a pause.
const GAP: Duration = Duration::from_secs(1);
/// The same as a part of the first pause.
const GAPS_PER_PAUSE: u32 = 15;

/// How long whoever goes first may wait for an answer before another one tries.
const FIRST_PATIENCE: Duration = Duration::from_secs(120);

/// What lets an agent run.
#[derive(Debug, Default)]
pub(super) struct Admitted {
    /// What keeps others from running too many agents at once; given back while the agent waits for its user.
    pub(super) slot: Option<Held>,
    /// Held while its provider is asked before all others.
    pub(super) first: Option<First>,
}

/// The right to ask the provider before all others; the kernel gives it back when its runner dies.
#[derive(Debug)]
pub(super) struct First {
    _lock: Held,
    /// How often in a row the provider had refused.
    pub(super) strikes: u32,
    /// When the agent was started.
    since: Option<Instant>,
}

impl First {
    /// The agent is started now; how long it waited for a slot does not count.
    pub(super) fn begin(&mut self) {
        self.since = Some(Instant::now());
    }

    /// Whether no answer came for so long that others should try.
    pub(super) fn is_over(&self) -> bool {
        self.since
            .is_some_and(|since| since.elapsed() > FIRST_PATIENCE)
    }
}

/// How waiting came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// The agent may be started.
    Over,
    /// The user stopped the iteration.
    Stopped,
    /// The provider refused too often, this session or others that wait for it.
    GivenUp,
}

/// Who may ask the provider.
enum Gate {
    /// Anybody.
    Open,
    /// This session, before all others.
    First(First),
    /// Nobody: the user stopped the iteration.
    Stopped,
    /// Nobody: the provider refused too often.
    GivenUp,
}

impl IterationRun<'_> {
    /// Waits for the provider and for a slot. What waits for the provider takes no slot from others.
    pub(super) fn wait_to_start(&mut self) -> Result<Wait, EngineError> {
        loop {
            let first = match self.wait_for_provider()? {
                Gate::Open => None,
                Gate::First(first) => Some(first),
                Gate::Stopped => return Ok(Wait::Stopped),
                Gate::GivenUp => return Ok(Wait::GivenUp),
            };
            self.queue_again()?;
            let Some(slot) = self.wait_for_slot()? else {
                return Ok(Wait::Stopped);
            };
            if self.is_let_in(first.as_ref())? {
                self.admitted = Admitted {
                    slot: Some(slot),
                    first,
                };
                return Ok(Wait::Over);
            }
        }
    }

    fn wait_for_provider(&mut self) -> Result<Gate, EngineError> {
        loop {
            if self.was_stopped()? {
                return Ok(Gate::Stopped);
            }
            if self.is_to_try_now()? {
                self.end_pause()?;
            }
            let pause = self.pause()?;
            self.attempts.count_tries(pause.as_ref());
            if self.attempts.tries > self.retries() {
                return Ok(self.give_up(pause));
            }
            let until = self.until(pause.as_ref());
            let now = self.engine.now();
            if until.is_none() && !self.is_parked() {
                return Ok(Gate::Open);
            }
            let is_due = until.is_none_or(|until| until <= now);
            if is_due && let Some(gate) = self.try_pass()? {
                return Ok(gate);
            }
            if let Some(until) = until {
                self.park(until, pause)?;
            }
            std::thread::sleep(next_look(now, until));
        }
    }

    fn give_up(&mut self, pause: Option<AgentPause>) -> Gate {
        self.attempts.why = pause.map(|pause| pause.why).or(self.attempts.why.take());
        Gate::GivenUp
    }

    /// Whether the user does not want to wait any longer.
    fn is_to_try_now(&self) -> Result<bool, EngineError> {
        let target = ControlTarget::Wait(self.iteration.key);
        let store = &self.engine.store;
        store.read(|tx| Ok(!tx.pending_controls(target)?.is_empty()))
    }

    /// The time has come, for all sessions with this agent: one of them tries.
    fn end_pause(&mut self) -> Result<(), EngineError> {
        self.attempts.not_before = None;
        let (key, agent, now) = (self.iteration.key, &self.session.agent, self.engine.now());
        self.engine.write_stream(|tx| {
            take_controls(tx, key)?;
            match tx.agent_pause(agent)? {
                Some(pause) if pause.until > now => {
                    let over = AgentPause {
                        until: now,
                        ..pause
                    };
                    Ok(tx.put_agent_pause(agent, &over)?)
                }
                _ => Ok(()),
            }
        })
    }

    /// The pause that holds for this session.
    fn pause(&self) -> Result<Option<AgentPause>, EngineError> {
        if self.retries() == 0 {
            return Ok(None);
        }
        let agent = &self.session.agent;
        self.engine.store.read(|tx| Ok(tx.agent_pause(agent)?))
    }

    fn until(&self, pause: Option<&AgentPause>) -> Option<Timestamp> {
        let paused = pause.map(|pause| pause.until);
        paused.max(self.attempts.not_before)
    }

    /// Takes the turn among those that wait, unless somebody else has it or the pause was set anew.
    fn try_pass(&self) -> Result<Option<Gate>, EngineError> {
        let engine = self.engine;
        let lock = engine
            .slots
            .try_first(&self.session.agent)
            .map_err(|source| EngineError::io("wait for the agent's turn", source))?;
        let Some(lock) = lock else {
            return Ok(None);
        };
        Ok(match self.pause()? {
            Some(pause) if pause.until > engine.now() => None,
            Some(pause) => Some(Gate::First(First {
                _lock: lock,
                strikes: pause.strikes,
                since: None,
            })),
            None => {
                // Whoever holds the lock keeps the others away for as long.
                let gap = engine.config().agents.retry_after / GAPS_PER_PAUSE;
                std::thread::sleep(gap.min(GAP));
                Some(Gate::Open)
            }
        })
    }

    /// Whether nothing came up while it waited for a slot.
    fn is_let_in(&self, first: Option<&First>) -> Result<bool, EngineError> {
        Ok(match self.pause()? {
            None => true,
            Some(pause) => first.is_some() && pause.until <= self.engine.now(),
        })
    }

    fn is_parked(&self) -> bool {
        matches!(self.iteration.progress, Progress::Parked(_))
    }

    /// Records that it waits, and tells; does nothing if that is known.
    fn park(&mut self, until: Timestamp, pause: Option<AgentPause>) -> Result<(), EngineError> {
        let Attempts {
            refusals, tries, ..
        } = self.attempts;
        let retry = if refusals == 0 { 0 } else { tries };
        let parked = Parked::until(until, retry, self.retries());
        if self.iteration.progress == Progress::Parked(parked) {
            return Ok(());
        }
        let before = status_before(&self.iteration);
        let why = self.attempts.why.clone();
        let why = why.or(pause.map(|pause| pause.why)).unwrap_or_default();
        self.iteration.progress = Progress::Parked(parked);
        self.iteration.message = Some(why.clone());
        self.tell_parked(parked, why, before)
    }

    fn tell_parked(
        &self,
        parked: Parked,
        why: String,
        before: SessionStatus,
    ) -> Result<(), EngineError> {
        let (iteration, id) = (&self.iteration, &self.iteration.session);
        let said = [self.note_of(&parked, &why)];
        let event = EventBody::IterationParked {
            iteration: iteration.number,
            parked,
            why,
        };
        self.engine.write_stream(|tx| {
            tx.put_iteration(iteration)?;
            append_items(tx, id, iteration.number, &said)?;
            tx.append_event(Some(id), &event)?;
            tell_status(tx, id, before, SessionStatus::Blocked)
        })
    }

    fn note_of(&self, parked: &Parked, why: &str) -> NewItem {
        let at = self.engine.now();
        let blocked = format!("Blocked{}", parked.in_words(at));
        let text = match parked.retry {
            0 => format!("{blocked}: {why}"),
            // The end of its own turn tells why.
            _ => blocked,
        };
        let event = AgentEvent::Message {
            role: Role::Engine,
            text,
        };
        NewItem {
            at,
            line: None,
            event,
        }
    }

    /// Goes back into the queue, where it has the place it had.
    fn queue_again(&mut self) -> Result<(), EngineError> {
        if self.iteration.progress == Progress::Queued {
            return Ok(());
        }
        let before = status_before(&self.iteration);
        self.iteration.progress = Progress::Queued;
        self.iteration.message = None;
        let iteration = &self.iteration;
        self.engine.write_stream(|tx| {
            tx.put_iteration(iteration)?;
            // What comes too late does not shorten the next wait.
            take_controls(tx, iteration.key)?;
            tell_status(tx, &iteration.session, before, SessionStatus::Queued)
        })
    }
}

/// Takes what was asked of an iteration that waits for its provider.
fn take_controls(tx: &Tx<'_>, key: i64) -> Result<(), EngineError> {
    for control in tx.pending_controls(ControlTarget::Wait(key))? {
        tx.take_control(control.key)?;
    }
    Ok(())
}

/// How long nobody looks. Once the time has come, all wait for whoever goes first, and looking costs reads and locks.
fn next_look(now: Timestamp, until: Option<Timestamp>) -> Duration {
    let left = until.map_or(0, |until| until.as_millisecond() - now.as_millisecond());
    match u64::try_from(left) {
        Ok(left) if left > 0 => LOOK.min(Duration::from_millis(left)),
        _ => LOOK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_looks_all_the_time_once_the_time_has_come() {
        let at = |millis| Timestamp::from_millisecond(millis).unwrap();
        let look = |until: Option<i64>| next_look(at(1_000), until.map(at));
        assert_eq!(look(Some(9_000)), LOOK);
        assert_eq!(look(Some(1_030)), Duration::from_millis(30));
        for over in [Some(1_000), Some(10), None] {
            assert_eq!(look(over), LOOK, "{over:?}");
        }
    }

    #[test]
    fn the_wait_for_a_slot_takes_no_time_from_whoever_goes_first() {
        let directory = tempfile::tempdir().unwrap();
        let lock = crate::slots::Slots::new(directory.path().to_owned(), 1).try_take();
        let mut first = First {
            _lock: lock.unwrap().unwrap(),
            strikes: 1,
            since: None,
        };
        assert!(!first.is_over());
        first.begin();
        assert!(first.since.is_some());
    }
}
