//! Answers to requests: JSON, event streams and faults.

use serde_json::{Value, json};

use super::script::Fault;

/// What is sent back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Whole {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    Cut {
        body: String,
    },
    Silence,
}

impl Answer {
    pub(super) fn json(value: &Value) -> Self {
        Self::with_status(200, value)
    }

    pub(super) fn with_status(status: u16, value: &Value) -> Self {
        Self::Whole {
            status,
            headers: vec![("Content-Type", "application/json".to_owned())],
            body: value.to_string(),
        }
    }

    /// Events as the `data` lines of a stream.
    pub(super) fn stream(events: &[Value]) -> Self {
        let lines = events.iter().map(|event| match event["type"].as_str() {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        });
        Self::Whole {
            status: 200,
            headers: vec![("Content-Type", "text/event-stream".to_owned())],
            body: lines.collect(),
        }
    }

    /// A stream that ends with a line of its own.
    pub(super) fn and_last_line(mut self, line: &str) -> Self {
        if let Self::Whole { body, .. } = &mut self {
            body.push_str(line);
        }
        self
    }

    /// The same answer with a fault.
    pub(super) fn spoiled(self, fault: Fault) -> Self {
        match (fault, self) {
            (Fault::Cut, Self::Whole { mut body, .. }) => {
                // After half of it every agent has heard that an answer began.
                body.truncate(body.floor_char_boundary(body.len() / 2));
                Self::Cut { body }
            }
            (
                Fault::Refused {
                    status,
                    retry_after,
                },
                _,
            ) => refusal(status, retry_after),
            (Fault::Silence | Fault::Cut, _) => Self::Silence,
        }
    }
}

/// Has what each provider's clients look for.
fn refusal(status: u16, retry_after: Option<u32>) -> Answer {
    let (kind, message) = match status {
        429 => ("rate_limit_error", "Rate limit reached"),
        402 => ("billing_error", "Payment required"),
        401 => ("authentication_error", "Invalid API key"),
        _ => ("overloaded_error", "Overloaded"),
    };
    let error = json!({ "type": kind, "message": message, "code": kind });
    let mut answer = Answer::with_status(status, &json!({ "type": "error", "error": error }));
    if let (Answer::Whole { headers, .. }, Some(seconds)) = (&mut answer, retry_after) {
        headers.push(("Retry-After", seconds.to_string()));
    }
    answer
}
