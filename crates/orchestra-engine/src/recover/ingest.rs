//! The transcript of an iteration whose runner died: what its output file has is read again.

use std::collections::VecDeque;

use orchestra_agents::{Agent, Decoder};
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
        let agent = self.agent_named(&session.agent)?;
        let attempts = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.attempts(iteration.key)?))?;
        let mut missing = Missing::after_known(self, iteration)?;
        let mut lines = Lines::new(&agent, attempts);
        let mut added = Ok(());
        let mut add = |number, events: Vec<AgentEvent>| {
            events.iter().for_each(|event| reported.learn(event));
            if added.is_ok() {
                added = missing.add(number, events);
            }
        };
        let read = output::read_lines(&files.stdout, &mut |line| lines.take(&line, &mut add));
        lines.end_attempt(&mut add);
        read.map_err(|source| EngineError::io("read the output file", source))?;
        added?;
        missing.write()?;
        Ok((missing.written, reported))
    }
}

/// Reads lines as the runner did: each attempt is a conversation of its own, and its end counts as a line.
struct Lines<'a> {
    agent: &'a Agent,
    decoder: Box<dyn Decoder>,
    /// Where attempts begin that are still to come.
    attempts: VecDeque<u64>,
    number: u64,
}

impl<'a> Lines<'a> {
    fn new(agent: &'a Agent, attempts: Vec<u64>) -> Self {
        Self {
            agent,
            decoder: agent.reader(),
            attempts: attempts.into(),
            number: 0,
        }
    }

    fn take(&mut self, line: &Line<'_>, add: &mut impl FnMut(u64, Vec<AgentEvent>)) {
        while self
            .attempts
            .pop_front_if(|after| *after == self.number + 1)
            .is_some()
        {
            self.end_attempt(add);
        }
        self.number += 1;
        let events = match line {
            Line::Whole(bytes) => self.decoder.line(bytes),
            Line::TooLong { bytes } => vec![too_long(*bytes)],
        };
        add(self.number, events);
    }

    fn end_attempt(&mut self, add: &mut impl FnMut(u64, Vec<AgentEvent>)) {
        self.number += 1;
        add(self.number, self.decoder.rest());
        self.decoder = self.agent.reader();
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

#[cfg(test)]
mod tests {
    use orchestra_core::AgentProtocol;

    use super::*;

    const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#;
    const OPENED: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}"#;
    const LOADED: &str = r#"{"jsonrpc":"2.0","id":3,"result":{}}"#;
    const REFUSED: &str =
        r#"{"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"overloaded"}}"#;
    const ONE: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"One."}}}}"#;

    /// What is said in an output file, and the lines it has.
    fn said(attempts: &[u64], lines: &[&str]) -> Vec<(u64, String)> {
        let agent = Agent::described("fake", AgentProtocol::Acp);
        let mut reader = Lines::new(&agent, attempts.to_vec());
        let mut said = Vec::new();
        let mut add = |number, events: Vec<AgentEvent>| {
            for event in events {
                if let AgentEvent::Message { text, .. } = event {
                    said.push((number, text));
                }
            }
        };
        for line in lines {
            reader.take(&Line::Whole(line.as_bytes()), &mut add);
        }
        reader.end_attempt(&mut add);
        said
    }

    #[test]
    fn what_only_the_end_tells_has_a_line_of_its_own() {
        let said = said(&[], &[INITIALIZED, OPENED, ONE]);
        assert_eq!(said, [(4, "One.".to_owned())]);
    }

    #[test]
    fn each_attempt_is_read_as_a_conversation_of_its_own() {
        let two = ONE.replace("One", "Two");
        let first = [INITIALIZED, OPENED, ONE, REFUSED];
        // It hears again what was said before.
        let second = [INITIALIZED, ONE, LOADED, &two];
        let told = [(4, "One.".to_owned()), (10, "Two.".to_owned())];
        assert_eq!(said(&[5], &[first, second].concat()), told);
        let told = [(4, "One.".to_owned()), (11, "Two.".to_owned())];
        let silent_between = said(&[5, 6], &[first, second].concat());
        assert_eq!(silent_between, told);
    }
}
