//! Other agents' ways to say the same: their command lines become Amp's, and what Amp would print becomes what they print.

mod arguments;
mod claude;
mod codex;

use std::process::ExitCode;

use super::faults::Shape;
use super::knobs::Knobs;
use super::scenario::Fault;
use super::shapes::{Line, Usage};
use super::terminal;
use super::threads::{ThreadError, Used};

pub(crate) use arguments::as_amp;

/// Whose way it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Amp,
    /// `codex exec --json`.
    Codex,
    /// `claude -p --output-format stream-json`.
    Claude,
}

impl Dialect {
    /// The one the command line chose.
    pub(crate) fn of(knobs: &Knobs) -> Self {
        match knobs.text("dialect") {
            Some("codex") => Self::Codex,
            Some("claude") => Self::Claude,
            _ => Self::Amp,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Amp => "amp",
            Self::Codex => "codex",
            Self::Claude => "claude",
        }
    }

    /// What it exits with after a turn that failed.
    pub(crate) const fn failure_code(self) -> u8 {
        match self {
            Self::Amp => 0,
            Self::Codex | Self::Claude => 1,
        }
    }

    /// How a fault shows; `None`: as with Amp.
    pub(crate) fn fault(self, fault: Fault) -> Option<Shape> {
        let error = match self {
            Self::Amp => return None,
            Self::Codex => codex::fault(fault),
            Self::Claude => claude::fault(fault),
        };
        Some(Shape::Result {
            error: error.to_owned(),
            stderr: None,
            code: 1,
        })
    }

    /// Why a thread cannot be continued; `None`: as Amp says it.
    pub(crate) fn refuse(self, error: &ThreadError) -> Option<ExitCode> {
        let (ThreadError::Unknown(id) | ThreadError::InvalidId(id)) = error else {
            return None;
        };
        let id = id.trim_start_matches("T-");
        let text = match self {
            Self::Amp => return None,
            Self::Codex => format!(
                "Error: thread/resume: thread/resume failed: no rollout found for thread id {id} (code -32600)\n"
            ),
            Self::Claude => format!("No conversation found with session ID: {id}\n"),
        };
        terminal::write_stderr(text.as_bytes());
        Some(ExitCode::FAILURE)
    }
}

/// Says lines in a dialect.
#[derive(Debug)]
pub(crate) struct Speaker {
    dialect: Dialect,
    codex: codex::Thread,
    messages: u32,
    used: Used,
}

impl Speaker {
    /// One that goes on with a thread. Only Codex counts what the thread used before.
    pub(crate) fn new(dialect: Dialect, used: Used) -> Self {
        Self {
            dialect,
            codex: codex::Thread::default(),
            messages: 0,
            used: match dialect {
                Dialect::Codex => used,
                Dialect::Amp | Dialect::Claude => Used::default(),
            },
        }
    }

    /// All tokens of the thread.
    pub(crate) fn used(&self) -> Used {
        self.used
    }

    /// The bytes of a line, or of the lines that stand for it.
    pub(crate) fn encode(&mut self, line: &Line<'_>) -> Vec<u8> {
        if let Line::Assistant { message, .. } = line {
            self.count(&message.usage);
        }
        let values = match self.dialect {
            Dialect::Amp => {
                // Text and numbers only: nothing in a line can fail to become JSON.
                let mut bytes = serde_json::to_vec(line).unwrap_or_default();
                bytes.push(b'\n');
                return bytes;
            }
            Dialect::Codex => self.codex.lines(line, &self.used),
            Dialect::Claude => vec![claude::line(line, self.messages, &self.used)],
        };
        let lines = values.iter().map(|value| format!("{value}\n"));
        lines.collect::<String>().into_bytes()
    }

    fn count(&mut self, usage: &Usage) {
        self.messages += 1;
        self.used.input += usage.input_tokens;
        self.used.output += usage.output_tokens;
        self.used.cache_read += usage.cache_read_input_tokens;
        self.used.cache_write += usage.cache_creation_input_tokens;
    }
}
