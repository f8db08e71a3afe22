//! What agents say, before it is kept.

use orchestra_core::AgentEvent;

use crate::Engine;

impl Engine {
    /// Takes secrets out of texts. Lines come without any, but a text that arrived in pieces may have joined one.
    pub(crate) fn safe_to_keep(&self, event: AgentEvent) -> AgentEvent {
        match event {
            AgentEvent::Message { role, text } => AgentEvent::Message {
                role,
                text: self.redact(&text),
            },
            AgentEvent::Thinking { text } => AgentEvent::Thinking {
                text: self.redact(&text),
            },
            AgentEvent::AwaitingInput { question } => AgentEvent::AwaitingInput {
                question: self.redact(&question),
            },
            AgentEvent::Finished { summary } => AgentEvent::Finished {
                summary: summary.map(|summary| self.redact(&summary)),
            },
            whole => whole,
        }
    }
}
