//! What an agent asks for as it asks it. Its output is decoded and kept without secrets, but what it may do is judged by all
//! of it, which is let go of then.

use std::collections::VecDeque;

use orchestra_agents::Decoder;
use orchestra_core::{AgentEvent, ToolUse};

use crate::output::MAX_LINE;

/// Requests that were not looked for; an agent that asks for more is told no.
const MOST_HELD: usize = 64;

/// Reads along, for an agent whose output has its questions.
#[derive(Debug)]
pub(super) struct Unredacted {
    decoder: Box<dyn Decoder>,
    line: Vec<u8>,
    is_too_long: bool,
    asked: VecDeque<(String, ToolUse)>,
}

impl Unredacted {
    /// With a reader that answers nobody.
    pub(super) fn new(decoder: Box<dyn Decoder>) -> Self {
        Self {
            decoder,
            line: Vec::new(),
            is_too_long: false,
            asked: VecDeque::new(),
        }
    }

    /// Takes a piece of the output, before anything is decided about what is in it.
    pub(super) fn hear(&mut self, chunk: &[u8]) {
        for part in chunk.split_inclusive(|byte| *byte == b'\n') {
            let end = part.strip_suffix(b"\n");
            self.hold(end.unwrap_or(part));
            if end.is_some() {
                self.read_line();
            }
        }
    }

    /// What was asked under this name. `None` if that cannot be told for certain: it was asked twice, or could not be read.
    pub(super) fn take(&mut self, request: &str) -> Option<ToolUse> {
        let all = std::mem::take(&mut self.asked);
        let (mut meant, others): (VecDeque<_>, VecDeque<_>) =
            all.into_iter().partition(|(id, _)| id == request);
        self.asked = others;
        let (_, tool_use) = meant.pop_front()?;
        meant.is_empty().then_some(tool_use)
    }

    fn hold(&mut self, part: &[u8]) {
        if self.line.len() + part.len() > MAX_LINE {
            self.is_too_long = true;
            self.line = Vec::new();
        }
        if !self.is_too_long {
            self.line.extend_from_slice(part);
        }
    }

    fn read_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            return;
        }
        for event in self.decoder.line(&line) {
            if let AgentEvent::PermissionAsked { id, tool_use, .. } = event {
                self.asked.push_back((id, tool_use));
            }
        }
        let over = self.asked.len().saturating_sub(MOST_HELD);
        self.asked.drain(..over);
    }
}

#[cfg(test)]
mod tests {
    use orchestra_agents::Agent;
    use orchestra_core::AgentProtocol;
    use serde_json::json;

    use super::*;

    fn request(id: u32, command: &str) -> String {
        let call =
            json!({"toolCallId": command, "kind": "execute", "rawInput": {"command": command}});
        let params = json!({"sessionId": "s", "toolCall": call, "options": []});
        let method = "session/request_permission";
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        format!("{request}\n")
    }

    fn unredacted() -> Unredacted {
        Unredacted::new(Agent::described("own", AgentProtocol::Acp).reader())
    }

    #[test]
    fn a_request_is_found_once_however_it_arrives() {
        let mut unredacted = unredacted();
        let lines = request(7, "login one") + &request(8, "login two");
        for piece in lines.as_bytes().chunks(5) {
            unredacted.hear(piece);
        }
        let found = unredacted.take("8").unwrap();
        assert_eq!(found.input, json!({"command": "login two"}));
        assert_eq!(unredacted.take("8"), None);
        assert!(unredacted.take("7").is_some());
    }

    #[test]
    fn a_name_that_means_two_requests_means_none() {
        let mut unredacted = unredacted();
        unredacted.hear(request(7, "git status").as_bytes());
        unredacted.hear(request(7, "git push").as_bytes());
        assert_eq!(unredacted.take("7"), None);
        unredacted.hear(request(7, "git status").as_bytes());
        assert!(unredacted.take("7").is_some(), "once it is certain again");
    }

    #[test]
    fn what_is_too_long_is_not_held() {
        let mut unredacted = unredacted();
        unredacted.hear(&vec![b'x'; MAX_LINE]);
        unredacted.hear(request(7, "git status").as_bytes());
        assert!(unredacted.line.is_empty());
        assert_eq!(unredacted.take("7"), None);
        for id in 0..100 {
            unredacted.hear(request(id, "git status").as_bytes());
        }
        assert_eq!(unredacted.asked.len(), MOST_HELD);
    }
}
