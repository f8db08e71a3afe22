//! Following the log: what every face does instead of holding state of its own.

use orchestra_core::{Event, Iteration, IterationNumber, ScriptRun, SessionId, TranscriptItem};

use orchestra_store::{EventFilter, TranscriptHits, TranscriptSearch};

use crate::{Engine, EngineError};

/// The longest text that a transcript is searched for.
const LONGEST_SEARCHED: usize = 1_000;

impl Engine {
    /// The newest sequence number.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_seq(&self) -> Result<u64, EngineError> {
        self.store.read(|tx| Ok(tx.last_seq()?))
    }

    /// The name of the log: sequence numbers of another one mean nothing here.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn epoch(&self) -> Result<String, EngineError> {
        Ok(self.store.epoch()?)
    }

    /// At most `limit` events of all sessions after a sequence number.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn log_after(&self, after: u64, limit: u32) -> Result<Vec<Event>, EngineError> {
        let filter = EventFilter {
            session: None,
            after,
            limit,
        };
        self.store.read(|tx| Ok(tx.events(filter)?))
    }

    /// The next events of a session after a sequence number; none only if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn events_after(&self, session: &SessionId, after: u64) -> Result<Vec<Event>, EngineError> {
        let filter = EventFilter {
            session: Some(session),
            after,
            limit: 0,
        };
        self.store.read(|tx| Ok(tx.events(filter)?))
    }

    /// At most `limit` transcript items after a position; none only if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn transcript_after(
        &self,
        session: &SessionId,
        position: u64,
        limit: u32,
    ) -> Result<Vec<TranscriptItem>, EngineError> {
        self.store
            .read(|tx| Ok(tx.transcript_after(session, position, limit)?))
    }

    /// At most `limit` transcript items before a position; none only if there is none.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn transcript_before(
        &self,
        session: &SessionId,
        position: u64,
        limit: u32,
    ) -> Result<Vec<TranscriptItem>, EngineError> {
        self.store
            .read(|tx| Ok(tx.transcript_before(session, position, limit)?))
    }

    /// Searches a transcript, a page of hits at a time.
    ///
    /// # Errors
    /// If the text is empty or too long, or the store cannot be read.
    pub fn search_transcript(
        &self,
        session: &SessionId,
        search: &TranscriptSearch<'_>,
    ) -> Result<TranscriptHits, EngineError> {
        if search.text.is_empty() || search.text.len() > LONGEST_SEARCHED {
            return Err(EngineError::Invalid {
                problem: "there is nothing to search for, or too much".to_owned(),
                way_out: Some(format!("give a text of up to {LONGEST_SEARCHED} bytes")),
            });
        }
        self.store
            .read(|tx| Ok(tx.search_transcript(session, search)?))
    }

    /// The position after which the transcript items of an iteration stand.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn position_before(
        &self,
        session: &SessionId,
        iteration: IterationNumber,
    ) -> Result<u64, EngineError> {
        self.store
            .read(|tx| Ok(tx.position_before(session, iteration)?))
    }

    /// The position of the newest transcript item.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn last_position(&self, session: &SessionId) -> Result<u64, EngineError> {
        self.store.read(|tx| Ok(tx.last_position(session)?))
    }

    /// One iteration.
    ///
    /// # Errors
    /// If there is none with this number.
    pub fn iteration(
        &self,
        session: &SessionId,
        number: IterationNumber,
    ) -> Result<Iteration, EngineError> {
        self.store.read(|tx| {
            tx.find_iteration(session, number)?
                .ok_or_else(|| EngineError::IterationMissing {
                    session: session.clone(),
                    number: number.0,
                })
        })
    }

    /// All iterations of a session, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn iterations(&self, session: &SessionId) -> Result<Vec<Iteration>, EngineError> {
        self.store.read(|tx| Ok(tx.iterations(session)?))
    }

    /// All script runs of a session, oldest first.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn script_runs(&self, session: &SessionId) -> Result<Vec<ScriptRun>, EngineError> {
        self.store.read(|tx| Ok(tx.script_runs(session)?))
    }

    /// One script run of a session; `None` if there is none with this key.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find_script_run(
        &self,
        session: &SessionId,
        key: i64,
    ) -> Result<Option<ScriptRun>, EngineError> {
        let run = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.find_script_run(key)?))?;
        Ok(run.filter(|run| &run.session == session))
    }
}
