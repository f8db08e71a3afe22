//! Codex.

use orchestra_core::{AgentEvent, FailureCause};
use orchestra_process::{CommandSpec, Exit};

use crate::adapter::{Adapter, Decoder};
use crate::agent::{Abilities, Features, Login, Surroundings, Turn, TurnRequest};

pub(crate) struct Codex;

impl Adapter for Codex {
    fn turn(&self, request: &TurnRequest<'_>) -> Turn {
        let program = request.program.first().cloned().unwrap_or_default();
        Turn {
            command: CommandSpec::new(program, request.worktree).envs(request.environment),
            decoder: self.reader(),
        }
    }

    fn reader(&self) -> Box<dyn Decoder> {
        Box::new(CodexDecoder)
    }

    fn abilities(&self, _features: &Features) -> Abilities {
        Abilities {
            resume: false,
            approvals: false,
            cost: false,
            input: false,
        }
    }

    fn login(&self, _surroundings: &Surroundings<'_>) -> Login {
        Login::Unknown
    }

    fn login_hint(&self) -> &'static str {
        "log in with the agent's own command"
    }
}

#[derive(Debug)]
struct CodexDecoder;

impl Decoder for CodexDecoder {
    fn line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        vec![AgentEvent::Unrecognized {
            raw: String::from_utf8_lossy(line).into_owned(),
        }]
    }

    fn is_over(&self) -> bool {
        false
    }

    fn finish(&mut self, _exit: Exit, stderr_tail: &str) -> AgentEvent {
        AgentEvent::Failed {
            cause: FailureCause::Other,
            message: stderr_tail.to_owned(),
        }
    }
}
