//! The transcript of an iteration whose runner died: what its output file has is read again.

use orchestra_core::{AgentEvent, Iteration, Session};
use orchestra_store::NewItem;

use crate::output::{self, Line};
use crate::runner::{Reported, too_long};
use crate::{Engine, EngineError};

/// As many items are written at once.
const AT_ONCE: usize = 500;

impl Engine {
    /// Adds to the transcript what the output file has and the store has not. Answers what the agent reported in it.
    pub(crate) fn ingest_output(&self, session: &Session, iteration: &Iteration) -> Reported {
        match self.ingest(session, iteration) {
            Ok((count, reported)) => {
                if count > 0 {
                    tracing::info!(session = %session.id, count, "read missing transcript items from the output file");
                }
                reported
            }
            Err(error) => {
                tracing::error!(code = error.code(), %error, "cannot read the output file into the transcript");
                Reported::default()
            }
        }
    }

    fn ingest(
        &self,
        session: &Session,
        iteration: &Iteration,
    ) -> Result<(usize, Reported), EngineError> {
        let mut reported = Reported {
            model: session.model.clone(),
            counting: self.counting(session, iteration.number)?,
            ..Reported::default()
        };
        let files = self.output_files(&session.id, iteration.number)?;
        if !files.stdout.exists() {
            return Ok((0, reported));
        }
        let mut missing = Missing::after_known(self, iteration)?;
        let mut decoder = self.agent_named(&session.agent)?.reader();
        let mut number = 0;
        let mut added = Ok(());
        let read = output::read_lines(&files.stdout, &mut |line| {
            number += 1;
            let events = match line {
                Line::Whole(bytes) => decoder.line(bytes),
                Line::TooLong { bytes } => vec![too_long(bytes)],
            };
            events.iter().for_each(|event| reported.learn(event));
            if added.is_ok() {
                added = missing.add(number, events);
            }
        });
        read.map_err(|source| EngineError::io("read the output file", source))?;
        added?;
        missing.add(number, decoder.rest())?;
        missing.write()?;
        Ok((missing.written, reported))
    }
}

/// Items that the store has not, on their way into it.
struct Missing<'a> {
    engine: &'a Engine,
    iteration: &'a Iteration,
    /// The last line that the store has items of.
    known: u64,
    items: Vec<NewItem>,
    written: usize,
}

impl<'a> Missing<'a> {
    fn after_known(engine: &'a Engine, iteration: &'a Iteration) -> Result<Self, EngineError> {
        let (session, number) = (&iteration.session, iteration.number);
        let known = engine
            .store
            .read(|tx| Ok::<_, EngineError>(tx.last_line(session, number)?))?;
        Ok(Self {
            engine,
            iteration,
            known,
            items: Vec::new(),
            written: 0,
        })
    }

    fn add(&mut self, line: u64, events: Vec<AgentEvent>) -> Result<(), EngineError> {
        if line <= self.known {
            return Ok(());
        }
        self.items.extend(events.into_iter().map(|event| NewItem {
            at: self.engine.now(),
            line: Some(line),
            event: self.engine.safe_to_keep(event),
        }));
        match self.items.len() >= AT_ONCE {
            true => self.write(),
            false => Ok(()),
        }
    }

    fn write(&mut self) -> Result<(), EngineError> {
        let items = std::mem::take(&mut self.items);
        self.written += items.len();
        let Iteration {
            session, number, ..
        } = self.iteration;
        self.engine.append_items(session, *number, &items)
    }
}
