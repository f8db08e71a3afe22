//! Messages as JSON lines on standard input.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use serde::Deserialize;

use super::super::cancel::{Cancel, Halt};
use super::super::shapes::Block;

/// What the next turn starts with.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Messages(Vec<Vec<Block>>),
    Invalid(String),
    End,
}

/// Standard input, read by a thread so that signals are still noticed.
pub(super) struct Lines(Receiver<Result<Vec<Block>, String>>);

impl Lines {
    pub(super) fn read() -> Self {
        let (sender, receiver) = channel();
        std::thread::spawn(move || forward(&sender));
        Self(receiver)
    }

    /// Waits for a message. At the start, lines that arrive together become one turn, as in Amp.
    pub(super) fn next(&self, is_first: bool, cancel: &Cancel) -> Result<Incoming, Halt> {
        let mut messages = Vec::new();
        loop {
            let wait = Duration::from_millis(50);
            match self.0.recv_timeout(wait) {
                Ok(Ok(blocks)) => messages.push(blocks),
                Ok(Err(error)) => return Ok(Incoming::Invalid(error)),
                Err(RecvTimeoutError::Disconnected) if messages.is_empty() => {
                    return Ok(Incoming::End);
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Incoming::Messages(messages)),
                Err(RecvTimeoutError::Timeout) if !messages.is_empty() => {
                    return Ok(Incoming::Messages(messages));
                }
                Err(RecvTimeoutError::Timeout) => cancel.check()?,
            }
            if !messages.is_empty() && !is_first {
                return Ok(Incoming::Messages(messages));
            }
        }
    }
}

fn forward(sender: &Sender<Result<Vec<Block>, String>>) {
    for (index, line) in std::io::stdin().lock().lines().enumerate() {
        let parsed = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => parse(&line, index + 1),
            Err(error) => Err(format!("Invalid JSON on stdin line {}: {error}", index + 1)),
        };
        let failed = parsed.is_err();
        if sender.send(parsed).is_err() || failed {
            return;
        }
    }
}

#[derive(Deserialize)]
struct InputLine {
    r#type: String,
    message: InputMessage,
}

#[derive(Deserialize)]
struct InputMessage {
    role: String,
    content: Vec<InputBlock>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum InputBlock {
    Text { text: String },
    Image {},
}

fn parse(line: &str, number: usize) -> Result<Vec<Block>, String> {
    let value: serde_json::Value = serde_json::from_str(line)
        .map_err(|error| format!("Invalid JSON on stdin line {number}: {error}"))?;
    let invalid = |why: &str| format!("Invalid message format on stdin line {number}: {why}");
    let input: InputLine =
        serde_json::from_value(value).map_err(|error| invalid(&error.to_string()))?;
    if input.r#type != "user" || input.message.role != "user" {
        return Err(invalid("expected a user message"));
    }
    let texts = input
        .message
        .content
        .into_iter()
        .filter_map(|block| match block {
            InputBlock::Text { text } => Some(Block::text(text)),
            InputBlock::Image {} => None,
        });
    Ok(texts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_needs_an_array() {
        let good =
            r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}"#;
        assert_eq!(parse(good, 1), Ok(vec![Block::text("hi")]));
        let bare = r#"{"type":"user","message":{"role":"user","content":"hi"}}"#;
        assert!(
            parse(bare, 1)
                .unwrap_err()
                .starts_with("Invalid message format on stdin line 1: ")
        );
        assert!(
            parse("{", 3)
                .unwrap_err()
                .starts_with("Invalid JSON on stdin line 3: ")
        );
    }
}
