//! What is kept of a session's runs, and what was removed of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{AgentEvent, Role};

/// How the text begins that stands where a transcript was.
pub const REMOVED_TRANSCRIPT: &str = "the transcript of this iteration was removed";

/// What is kept of a session's runs and can be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataKind {
    /// What agents said and did, and all they wrote.
    Transcripts,
    /// Logs of agents, scripts and runners.
    Logs,
}

impl DataKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Transcripts, Self::Logs];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transcripts => "transcripts",
            Self::Logs => "logs",
        }
    }

    /// Which of them a file in a session's output folder belongs to.
    #[must_use]
    pub fn of_output_file(name: &str) -> Self {
        match name.rsplit_once('.') {
            Some((number, "jsonl" | "err")) if number.parse::<u32>().is_ok() => Self::Transcripts,
            _ => Self::Logs,
        }
    }
}

/// What stands in a transcript instead of what was removed.
#[must_use]
pub fn removal_note(why: &str) -> AgentEvent {
    AgentEvent::Message {
        role: Role::Engine,
        text: format!("{REMOVED_TRANSCRIPT} {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_wrote_is_told_from_logs() {
        for (name, kind) in [
            ("1.jsonl", DataKind::Transcripts),
            ("12.err", DataKind::Transcripts),
            ("1.agent.log", DataKind::Logs),
            ("script-3.log", DataKind::Logs),
            ("x.err", DataKind::Logs),
            ("jsonl", DataKind::Logs),
        ] {
            assert_eq!(DataKind::of_output_file(name), kind, "{name}");
        }
    }
}
