//! The transcript while it grows: items are gathered and written in groups.

use std::time::{Duration, Instant};

use orchestra_core::{AgentEvent, EventBody, IterationNumber, Role, SessionId};
use orchestra_store::{NewItem, Tx};

use crate::{Engine, EngineError};

const GROUP_TIME: Duration = Duration::from_millis(25);
const GROUP_ITEMS: usize = 256;
/// Items that wait for a store that cannot be written; beyond that the output file is enough.
const MOST_WAITING: usize = 4_096;

/// Items on their way into the store.
pub(crate) struct Recorder<'a> {
    engine: &'a Engine,
    session: SessionId,
    iteration: IterationNumber,
    pending: Vec<NewItem>,
    since: Option<Instant>,
    given_up: bool,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(engine: &'a Engine, session: &SessionId, iteration: IterationNumber) -> Self {
        Self {
            engine,
            session: session.clone(),
            iteration,
            pending: Vec::new(),
            since: None,
            given_up: false,
        }
    }

    pub(crate) fn add(&mut self, line: Option<u64>, event: AgentEvent) {
        if self.given_up && line.is_some() {
            // Later lines must not be written before earlier ones: what follows the last line is read again.
            return;
        }
        self.since.get_or_insert_with(Instant::now);
        self.pending.push(NewItem {
            at: self.engine.now(),
            line,
            event,
        });
    }

    /// Something Orchestra itself has to say.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.add(
            None,
            AgentEvent::Message {
                role: Role::Engine,
                text: text.into(),
            },
        );
    }

    /// How long the reader may wait before a group is due.
    pub(crate) fn due_in(&self) -> Option<Duration> {
        self.since
            .map(|since| GROUP_TIME.saturating_sub(since.elapsed()))
    }

    /// Writes the group if it is old or large enough.
    pub(crate) fn write_if_due(&mut self) {
        let due = self.due_in().is_some_and(|wait| wait.is_zero());
        if due || self.pending.len() == GROUP_ITEMS {
            self.write();
        }
    }

    /// Writes the group. A store that cannot be written does not stop the agent: the group is kept for the next try, and
    /// when too much waits, the lines are left to the output file, from which they are read later.
    pub(crate) fn write(&mut self) {
        self.since = None;
        let items = std::mem::take(&mut self.pending);
        if items.is_empty() {
            return;
        }
        let written = self
            .engine
            .append_items(&self.session, self.iteration, &items);
        if let Err(error) = written {
            tracing::error!(code = error.code(), %error, "cannot write the transcript; it stays in the output file");
            self.keep_for_later(items);
        }
    }

    fn keep_for_later(&mut self, items: Vec<NewItem>) {
        self.pending = items;
        self.since = Some(Instant::now());
        if self.pending.len() > MOST_WAITING {
            self.given_up = true;
            self.pending.retain(|item| item.line.is_none());
        }
    }

    /// Whether lines were left to the output file.
    pub(crate) fn has_given_up(&self) -> bool {
        self.given_up
    }
}

impl Engine {
    /// Adds items to a transcript, with the event that tells of them.
    pub(crate) fn append_items(
        &self,
        session: &SessionId,
        iteration: IterationNumber,
        items: &[NewItem],
    ) -> Result<(), EngineError> {
        self.write_stream(|tx| append_items(tx, session, iteration, items))
    }
}

/// The same as part of a larger change.
pub(super) fn append_items(
    tx: &Tx<'_>,
    session: &SessionId,
    iteration: IterationNumber,
    items: &[NewItem],
) -> Result<(), EngineError> {
    if let Some((from, to)) = tx.append_transcript(session, iteration, items)? {
        let body = EventBody::TranscriptAppended {
            iteration,
            from,
            to,
        };
        tx.append_event(Some(session), &body)?;
    }
    Ok(())
}
