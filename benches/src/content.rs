//! Made-up text that compresses like source code, and agent output made of it.

use std::fmt::Write as _;

use serde_json::json;

use crate::chance::Chance;

const VOCABULARY: usize = 4_000;

/// Writes lines of identifiers and numbers.
#[derive(Debug)]
pub(crate) struct Writer {
    chance: Chance,
    words: Vec<String>,
}

impl Writer {
    pub(crate) fn seeded(seed: u64) -> Self {
        let mut chance = Chance::seeded(seed);
        let words = (0..VOCABULARY).map(|_| word(&mut chance)).collect();
        Self { chance, words }
    }

    /// Text of about `length` bytes.
    pub(crate) fn text(&mut self, length: usize) -> String {
        let mut text = String::with_capacity(length + 80);
        while text.len() < length {
            self.line(&mut text);
        }
        text
    }

    /// Text of a length that varies around `mean`.
    pub(crate) fn file(&mut self, mean: usize) -> String {
        let length = self.chance.length(mean);
        self.text(length)
    }

    /// Amp's output, line by line, until there are `bytes` of it.
    pub(crate) fn agent_output(&mut self, bytes: usize) -> Vec<u8> {
        let mut output = Vec::with_capacity(bytes + 16_384);
        let mut number = 0_u64;
        while output.len() < bytes {
            number += 1;
            let line = self.agent_line(number);
            output.extend_from_slice(line.to_string().as_bytes());
            output.push(b'\n');
        }
        output
    }

    fn agent_line(&mut self, number: u64) -> serde_json::Value {
        let id = format!("toolu_{number:08}");
        let message = match number % 4 {
            0 => json!([{ "type": "text", "text": self.file(800) }]),
            1 => json!([
                { "type": "text", "text": self.file(300) },
                { "type": "tool_use", "id": id, "name": "edit_file", "input": {
                    "path": "src/part/file.rs", "old_str": self.file(900), "new_str": self.file(900) } },
            ]),
            2 => json!([{ "type": "thinking", "thinking": self.file(1_200), "signature": "" }]),
            _ => {
                json!([{ "type": "tool_result", "tool_use_id": id, "content": self.file(6_000), "is_error": false }])
            }
        };
        if number % 4 == 3 {
            return json!({ "type": "user", "message": { "role": "user", "content": message },
                "parent_tool_use_id": null, "session_id": "T-01" });
        }
        json!({ "type": "assistant", "message": { "type": "message", "role": "assistant", "content": message,
            "stop_reason": null, "usage": { "input_tokens": number, "cache_creation_input_tokens": 900,
            "cache_read_input_tokens": 100, "output_tokens": 40 } }, "parent_tool_use_id": null, "session_id": "T-01" })
    }

    fn line(&mut self, text: &mut String) {
        for _ in 0..self.chance.below(4) {
            text.push_str("    ");
        }
        for _ in 0..=self.chance.below(7) {
            let index = self.chance.below(self.words.len());
            text.push_str(&self.words[index]);
            text.push_str([" ", "(", ") ", ".", " = ", "\", \"", "::"][self.chance.below(7)]);
        }
        let number = self.chance.below(100_000);
        writeln!(text, "{number};").unwrap_or_default();
    }
}

fn word(chance: &mut Chance) -> String {
    (0..3 + chance.below(9))
        .map(|_| char::from(b"aeiorstnlcdmupbgfhvkwyx_"[chance.below(24)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_output_is_what_the_adapter_reads() {
        let output = Writer::seeded(1).agent_output(100_000);
        let mut decoder = orchestra_agents::Agent::built_in("amp").unwrap().reader();
        for line in output.split(|byte| *byte == b'\n') {
            let events = decoder.line(line);
            let odd = |event: &&orchestra_core::AgentEvent| {
                matches!(event, orchestra_core::AgentEvent::Unrecognized { .. })
            };
            assert_eq!(events.iter().find(odd), None);
        }
    }
}
