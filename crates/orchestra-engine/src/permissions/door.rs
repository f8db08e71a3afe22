//! The hook of an agent in a sandbox: the store is out of its reach, so that it asks the runner at a door.

use std::path::Path;
use std::time::{Duration, Instant};

use orchestra_core::{IterationNumber, SessionId};
use orchestra_process::ask_at;
use serde::{Deserialize, Serialize};

use super::{HookAnswer, HookCall};
use crate::{Engine, chain};

/// Whoever asks waits a little longer.
const WORK: Duration = Duration::from_secs(7);

/// What is said at the door.
#[derive(Serialize, Deserialize)]
struct Question {
    tool: String,
    input: String,
}

/// Asks the runner whether a tool may be used.
///
/// # Errors
/// If it does not answer, in words.
pub fn ask_hook_at(door: &Path, tool: &str, input: &[u8]) -> Result<HookAnswer, String> {
    let question = Question {
        tool: tool.to_owned(),
        input: String::from_utf8_lossy(input).into_owned(),
    };
    let asked = serde_json::to_vec(&question)
        .map_err(std::io::Error::from)
        .and_then(|question| ask_at(door, &question));
    let answer = asked.map_err(|error| error.to_string())?;
    serde_json::from_slice(&answer).map_err(|error| error.to_string())
}

impl Engine {
    /// Answers what somebody said at the door. Whatever goes wrong, the tool is not used.
    pub(crate) fn answer_at_door(
        &self,
        id: &SessionId,
        number: IterationNumber,
        said: &[u8],
    ) -> Vec<u8> {
        let answer = match serde_json::from_slice::<Question>(said) {
            Ok(question) => self.answer_question(id, number, &question),
            Err(_) => HookAnswer::Reject("the question cannot be read".to_owned()),
        };
        // What cannot be written is an answer that cannot be read: not allowed.
        serde_json::to_vec(&answer).unwrap_or_default()
    }

    fn answer_question(
        &self,
        id: &SessionId,
        number: IterationNumber,
        question: &Question,
    ) -> HookAnswer {
        let call = HookCall {
            tool: &question.tool,
            input: question.input.as_bytes(),
            until: Instant::now() + WORK,
        };
        self.answer_hook(id, number, &call).unwrap_or_else(|error| {
            let error = self.redact(&chain::text(&error));
            HookAnswer::Reject(format!(
                "it cannot be told whether this is allowed: {error}"
            ))
        })
    }
}
