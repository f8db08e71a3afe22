//! Any command: what it prints is its answer, and its exit code says whether it succeeded.

use std::ffi::{OsStr, OsString};

use orchestra_core::{AgentEvent, FailureCause, Role};
use orchestra_process::{CommandSpec, Exit, Stdin};

use crate::adapter::{Adapter, Decoder};
use crate::agent::{Abilities, Features, Login, Surroundings, Turn, TurnRequest};
use crate::failure::classify_words;
use crate::question::asks_something;
use crate::unread::is_blank;

/// Stands for the prompt in a word of the command.
const PROMPT: &str = "{prompt}";
/// How much of the end of an answer is looked at.
const TAIL: usize = 4_000;

/// A command that takes a prompt and prints an answer. It remembers nothing.
pub(crate) struct AnyCommand;

impl Adapter for AnyCommand {
    fn turn(&self, request: &TurnRequest<'_>) -> Turn {
        Turn {
            command: command(request),
            decoder: self.reader(),
        }
    }

    fn reader(&self) -> Box<dyn Decoder> {
        Box::new(AnswerDecoder::default())
    }

    fn abilities(&self, _features: &Features) -> Abilities {
        Abilities {
            resume: false,
            approvals: false,
            cost: None,
            input: false,
        }
    }

    fn login(&self, _surroundings: &Surroundings<'_>) -> Login {
        Login::NotNeeded
    }

    fn login_hint(&self) -> &'static str {
        "name the variables it needs in agents.<name>.env"
    }
}

/// The prompt takes the place of its mark; without one it comes on standard input.
fn command(request: &TurnRequest<'_>) -> CommandSpec {
    let words = request.leading_arguments();
    let is_marked = words.iter().any(|word| has_mark(word));
    let filled = words.iter().map(|word| filled(word, request.prompt));
    let stdin = match is_marked {
        true => Stdin::Empty,
        false => Stdin::Bytes(request.prompt.as_bytes().to_vec()),
    };
    request.command().args(filled).stdin(stdin)
}

fn has_mark(word: &OsStr) -> bool {
    word.to_str().is_some_and(|word| word.contains(PROMPT))
}

/// A byte 0 cannot stand in an argument.
fn filled(word: &OsStr, prompt: &str) -> OsString {
    match word.to_str() {
        Some(text) => text.replace(PROMPT, &prompt.replace('\0', "")).into(),
        None => word.to_owned(),
    }
}

/// Takes every line for a part of the answer.
#[derive(Debug, Default)]
struct AnswerDecoder {
    /// The end of the answer.
    tail: String,
}

impl Decoder for AnswerDecoder {
    /// Every line that is not blank is a message.
    fn line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        let text = String::from_utf8_lossy(line).trim_end().to_owned();
        self.tail.push_str(&text);
        self.tail.push('\n');
        if self.tail.len() > 2 * TAIL {
            let from = self.tail.floor_char_boundary(self.tail.len() - TAIL);
            self.tail.drain(..from);
        }
        if is_blank(line) {
            return Vec::new();
        }
        let role = Role::Agent;
        vec![AgentEvent::Message { role, text }]
    }

    /// Only the end of the process tells that it is over.
    fn is_over(&self) -> bool {
        false
    }

    fn finish(&mut self, exit: Exit, stderr_tail: &str) -> AgentEvent {
        let answer = self.tail.trim();
        if !exit.is_success() {
            return failed(exit, stderr_tail.trim(), answer);
        }
        let summary = last_paragraphs(answer, 1);
        match asks_something(answer) {
            true if asks_something(summary) => AgentEvent::AwaitingInput {
                question: summary.to_owned(),
            },
            // The choices stand apart from the question.
            true => AgentEvent::AwaitingInput {
                question: last_paragraphs(answer, 2).to_owned(),
            },
            false => AgentEvent::Finished {
                summary: Some(summary.to_owned()).filter(|text| !text.is_empty()),
            },
        }
    }
}

/// Standard error explains it, else the end of the answer.
fn failed(exit: Exit, stderr: &str, answer: &str) -> AgentEvent {
    let words = match stderr.is_empty() {
        true => last_paragraphs(answer, 1),
        false => stderr,
    };
    let message = match words.is_empty() {
        true => format!("it ended with {exit}"),
        false => words.to_owned(),
    };
    let cause = match (classify_words(words), exit) {
        (FailureCause::Other, Exit::Signal(_)) => FailureCause::Crashed,
        (cause, _) => cause,
    };
    AgentEvent::Failed { cause, message }
}

fn last_paragraphs(text: &str, count: usize) -> &str {
    let mut breaks = text.rmatch_indices("\n\n");
    let start = breaks.nth(count - 1).map_or(0, |(index, _)| index + 2);
    text[start..].trim()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use orchestra_core::PermissionPolicy;

    use super::*;

    fn spec(words: &[&str]) -> CommandSpec {
        let program: Vec<OsString> = words.iter().map(OsString::from).collect();
        let turn = AnyCommand.turn(&TurnRequest {
            program: &program,
            features: &Features::default(),
            worktree: Path::new("/w"),
            prompt: "say \"hi\"\0\n$(x)",
            thread: None,
            model: None,
            mode: None,
            environment: &BTreeMap::new(),
            log_file: Path::new("/l"),
            permissions: PermissionPolicy::Allow,
            settings_file: None,
            spent: None,
            equipment: crate::Equipment::default(),
        });
        turn.command
    }

    #[test]
    fn the_prompt_takes_its_place() {
        let marked = spec(&["/bin/agent", "--ask={prompt}", "-v", "{prompt}"]);
        assert_eq!(
            marked.args,
            ["--ask=say \"hi\"\n$(x)", "-v", "say \"hi\"\n$(x)"]
        );
        assert_eq!(marked.stdin, Stdin::Empty);
        let plain = spec(&["/bin/agent", "-v"]);
        assert_eq!(plain.args, ["-v"]);
        assert_eq!(plain.stdin, Stdin::Bytes(b"say \"hi\"\0\n$(x)".to_vec()));
    }

    fn end(answer: &str, exit: Exit, stderr: &str) -> AgentEvent {
        let mut decoder = AnswerDecoder::default();
        for line in answer.lines() {
            let events = decoder.line(line.as_bytes());
            assert_eq!(events.len(), usize::from(!line.is_empty()));
        }
        decoder.finish(exit, stderr)
    }

    #[test]
    fn the_last_paragraph_is_the_summary() {
        let finished = |summary: Option<&str>| AgentEvent::Finished {
            summary: summary.map(str::to_owned),
        };
        let ok = Exit::Code(0);
        assert_eq!(end("", ok, "noise"), finished(None));
        assert_eq!(
            end("One.\n\nTwo.\nThree.\n\n", ok, ""),
            finished(Some("Two.\nThree."))
        );
        let question = |text: &str| AgentEvent::AwaitingInput {
            question: text.to_owned(),
        };
        assert_eq!(end("One.\n\nWhich?", ok, ""), question("Which?"));
        assert_eq!(
            end("One.\n\nWhich?\n\n- a\n- b", ok, ""),
            question("Which?\n\n- a\n- b")
        );
    }

    #[test]
    fn an_exit_code_is_a_failure() {
        let cause = |answer: &str, exit, stderr: &str| match end(answer, exit, stderr) {
            AgentEvent::Failed { cause, message } => (cause, message),
            other => panic!("{other:?}"),
        };
        let (failed, killed) = (Exit::Code(3), Exit::Signal(9));
        let (overloaded, message) = cause("x", failed, "429 Too Many Requests\n");
        assert_eq!(overloaded, FailureCause::Overloaded);
        assert_eq!(message, "429 Too Many Requests");
        assert_eq!(cause("Oh.\n\nNo.", failed, "").1, "No.");
        assert_eq!(cause("", killed, "").0, FailureCause::Crashed);
        assert!(cause("", failed, "").1.contains('3'));
    }

    #[test]
    fn a_long_answer_needs_little_memory() {
        let mut decoder = AnswerDecoder::default();
        for _ in 0..10_000 {
            decoder.line("é".repeat(100).as_bytes());
            assert!(decoder.tail.len() <= 2 * TAIL + 201);
        }
    }
}
