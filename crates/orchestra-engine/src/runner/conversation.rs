//! The talk with an agent while it runs: what it says becomes events, what it waits for is sent, and it is asked to end.

use std::time::Instant;

use orchestra_agents::Decoder;
use orchestra_core::AgentEvent;
use orchestra_process::{Exit, Stop, StopSignal, Supervised};

use super::limits::LimitWatch;
use crate::Engine;
use crate::output::Line;

const STDERR_TAIL: usize = 4_000;

/// One turn as its agent tells it.
pub(crate) struct Conversation<'a> {
    engine: &'a Engine,
    pub(crate) decoder: Box<dyn Decoder>,
    stderr_tail: String,
    /// When an agent that was asked to end the turn by itself is signalled.
    signal_at: Option<Instant>,
}

impl<'a> Conversation<'a> {
    pub(crate) fn new(engine: &'a Engine, decoder: Box<dyn Decoder>) -> Self {
        Self {
            engine,
            decoder,
            stderr_tail: String::new(),
            signal_at: None,
        }
    }

    /// What a line of standard output says.
    pub(crate) fn line(&mut self, line: &Line<'_>) -> Vec<AgentEvent> {
        match line {
            Line::Whole(bytes) => self.decoder.line(bytes),
            Line::TooLong { bytes } => vec![too_long(*bytes)],
        }
    }

    /// What a line of standard error says. The last of them explain an end without a result.
    pub(crate) fn complaint(&mut self, line: &Line<'_>) -> Option<AgentEvent> {
        let Line::Whole(bytes) = line else {
            return None;
        };
        let text = without_escapes(&String::from_utf8_lossy(bytes));
        if text.trim().is_empty() {
            return None;
        }
        self.stderr_tail.push_str(&text);
        self.stderr_tail.push('\n');
        if self.stderr_tail.len() > 2 * STDERR_TAIL {
            let from = self.stderr_tail.len() - STDERR_TAIL;
            let from = self.stderr_tail.floor_char_boundary(from);
            self.stderr_tail.drain(..from);
        }
        Some(AgentEvent::Diagnostic { text })
    }

    /// Sends what the agent waits for. One that has ended its turn has nothing more to read.
    pub(crate) fn reply(&mut self, agent: &mut Supervised) {
        let replies = self.decoder.take_replies();
        if !replies.is_empty() {
            agent.send(&replies);
        }
        if self.decoder.is_over() {
            agent.close_input();
        }
    }

    /// An agent that can end the turn by itself also ends its tools and keeps its conversation in order, so it gets
    /// half of the grace for that before it is signalled.
    pub(crate) fn ask_to_end(&mut self, agent: &mut Supervised) {
        if self.signal_at.is_some() {
            return;
        }
        if self.decoder.cancel() {
            self.reply(agent);
            let grace = self.engine.config().core.stop_grace;
            self.signal_at = Some(Instant::now() + grace / 2);
        } else {
            agent.stop(self.engine.graceful_stop());
        }
    }

    /// Signals an agent that was asked to end the turn, once its time for that is over.
    pub(crate) fn signal_if_due(&mut self, agent: &Supervised, limits: &mut LimitWatch) {
        let Some(at) = self.signal_at else { return };
        let is_over = self.decoder.is_over();
        if at <= Instant::now() || is_over && limits.is_late_after_result(self.decoder.stay()) {
            self.signal_at = None;
            agent.stop(Stop::Graceful {
                signal: StopSignal::Terminate,
                grace: self.engine.config().core.stop_grace / 2,
            });
        }
    }

    /// Ends the agent at once.
    pub(crate) fn kill(&mut self, agent: &Supervised) {
        self.signal_at = None;
        agent.stop(Stop::Kill);
    }

    /// How the turn ended, once the process is gone.
    pub(crate) fn finish(&mut self, exit: Exit) -> AgentEvent {
        let said = self.decoder.finish(exit, &self.stderr_tail);
        self.engine.safe_to_keep(said)
    }
}

pub(crate) fn too_long(bytes: u64) -> AgentEvent {
    AgentEvent::Unrecognized {
        raw: format!("a line of {bytes} bytes; the output file has it"),
    }
}

/// Some builds write terminal escapes to standard error.
fn without_escapes(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\u{1b}' {
            clean.push(char);
            continue;
        }
        if chars.next_if_eq(&'[').is_some() {
            while chars
                .next()
                .is_some_and(|char| !('@'..='~').contains(&char))
            {}
        } else {
            chars.next();
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_removed() {
        assert_eq!(
            without_escapes("a\u{1b}[=0u\u{1b}[<u\u{1b}[?25hb \u{1b}[31mred\u{1b}[0m"),
            "ab red"
        );
        assert_eq!(without_escapes("\u{1b}"), "");
    }
}
