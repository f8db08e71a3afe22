//! The Agent Client Protocol: JSON-RPC on standard input and output, one process and one prompt per turn.
//!
//! The agent works in the worktree itself: it is offered neither files nor terminals of ours.

mod client;
mod decode;
mod model;
mod questions;
mod spending;
mod text;
mod tool_calls;
mod wire;

use orchestra_process::{CommandSpec, Stdin};

use client::Client;
use decode::AcpDecoder;

use crate::adapter::{Adapter, Decoder};
use crate::agent::{Abilities, Features, Login, Surroundings, Turn, TurnRequest};

/// Any agent that speaks the protocol.
pub(crate) struct Acp;

impl Adapter for Acp {
    fn turn(&self, request: &TurnRequest<'_>) -> Turn {
        let mut client = Client::new(request);
        let program = request.program.first().cloned().unwrap_or_default();
        let command = CommandSpec::new(program, request.worktree)
            .args(request.program.iter().skip(1))
            .envs(request.environment)
            .stdin(Stdin::Open(client.take_replies()));
        Turn {
            command,
            decoder: Box::new(AcpDecoder::talking(client)),
        }
    }

    fn reader(&self) -> Box<dyn Decoder> {
        Box::new(AcpDecoder::default())
    }

    /// What the protocol has; only a turn tells what an agent leaves out.
    fn abilities(&self, _features: &Features) -> Abilities {
        Abilities {
            resume: true,
            approvals: true,
            cost: true,
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
