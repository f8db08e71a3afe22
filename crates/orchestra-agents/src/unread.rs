//! Lines that say nothing, and lines that nobody understands.

use orchestra_core::AgentEvent;

/// Whether a line has nothing but white space.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// A line that could not be read is kept.
pub(crate) fn unrecognized(line: &[u8]) -> AgentEvent {
    AgentEvent::Unrecognized {
        raw: String::from_utf8_lossy(line).into_owned(),
    }
}
