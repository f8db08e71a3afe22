//! Texts that arrive in pieces.

use orchestra_core::{AgentEvent, Role};

/// A text longer than this is told in parts.
const MOST_HELD: usize = 256 * 1024;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    Message,
    Thought,
}

/// The pieces of one text, until something else comes.
#[derive(Debug, Default)]
pub(super) struct HeldText {
    voice: Option<Voice>,
    message: Option<String>,
    text: String,
}

impl HeldText {
    /// Adds a piece. Answers the text before it, if that is over.
    pub(super) fn add(
        &mut self,
        voice: Voice,
        message: Option<String>,
        piece: &str,
    ) -> Option<AgentEvent> {
        let is_another = message.is_some() && self.message.is_some() && message != self.message;
        let goes_on = self.voice == Some(voice) && !is_another && self.text.len() < MOST_HELD;
        let over = if goes_on { None } else { self.take() };
        self.voice = Some(voice);
        self.message = message.or(self.message.take());
        self.text.push_str(piece);
        over
    }

    /// The text so far, as what it is.
    pub(super) fn take(&mut self) -> Option<AgentEvent> {
        self.message = None;
        let text = std::mem::take(&mut self.text);
        let voice = self.voice.take().filter(|_| !text.is_empty())?;
        Some(match voice {
            Voice::Message => AgentEvent::Message {
                role: Role::Agent,
                text,
            },
            Voice::Thought => AgentEvent::Thinking { text },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined_until_another_voice_or_message() {
        let mut held = HeldText::default();
        let id = |id: &str| Some(id.to_owned());
        assert_eq!(held.add(Voice::Thought, None, "Hm"), None);
        assert_eq!(held.add(Voice::Thought, None, "m."), None);
        let thought = held.add(Voice::Message, id("1"), "Hel");
        assert_eq!(
            thought,
            Some(AgentEvent::Thinking {
                text: "Hmm.".to_owned()
            })
        );
        assert_eq!(held.add(Voice::Message, id("1"), "lo"), None);
        let first = held.add(Voice::Message, id("2"), "Again");
        assert!(matches!(first, Some(AgentEvent::Message { text, .. }) if text == "Hello"));
        assert!(matches!(held.take(), Some(AgentEvent::Message { text, .. }) if text == "Again"));
        assert_eq!(held.take(), None);
    }

    #[test]
    fn a_text_without_end_is_told_in_parts() {
        let mut held = HeldText::default();
        let piece = "x".repeat(MOST_HELD);
        assert_eq!(held.add(Voice::Message, None, &piece), None);
        assert!(held.add(Voice::Message, None, &piece).is_some());
    }
}
