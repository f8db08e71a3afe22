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

use orchestra_core::{CostSource, PermissionPolicy};
use orchestra_process::Stdin;

use client::Client;
use decode::AcpDecoder;

use crate::adapter::{Adapter, Decoder};
use crate::agent::{Abilities, Features, Login, Surroundings, Turn, TurnRequest};
use crate::mcp::{McpReach, McpServer};

/// opencode asks for nothing by itself; with this it asks before every use of a tool. It means nothing to other agents.
const ASK: (&str, &str) = ("OPENCODE_PERMISSION", r#"{"*":"ask"}"#);

/// Any agent that speaks the protocol.
pub(crate) struct Acp;

impl Adapter for Acp {
    fn turn(&self, request: &TurnRequest<'_>) -> Turn {
        let mut client = Client::new(request);
        let mut command = request
            .command()
            .args(request.leading_arguments())
            .stdin(Stdin::Open(client.take_replies()));
        if request.permissions != PermissionPolicy::Allow {
            command = command.env(ASK.0, ASK.1);
        }
        Turn {
            command,
            decoder: Box::new(AcpDecoder::talking(client)),
        }
    }

    fn reader(&self) -> Box<dyn Decoder> {
        Box::new(AcpDecoder::default())
    }

    /// Every agent starts programs; only some know addresses.
    fn takes_server(&self, server: &McpServer) -> bool {
        matches!(server.reach, McpReach::Program { .. })
    }

    /// What the protocol has; only a turn tells what an agent leaves out.
    fn abilities(&self, _features: &Features) -> Abilities {
        Abilities {
            resume: true,
            approvals: true,
            cost: Some(CostSource::Reported),
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::OsStr;
    use std::path::Path;

    use super::*;

    fn asks(permissions: PermissionPolicy) -> bool {
        let turn = Acp.turn(&TurnRequest {
            program: &["opencode".into(), "acp".into()],
            features: &Features::default(),
            worktree: Path::new("/w"),
            prompt: "Go",
            thread: None,
            model: None,
            mode: None,
            environment: &BTreeMap::new(),
            log_file: Path::new("/l/acp.log"),
            permissions,
            settings_file: None,
            spent: None,
            equipment: crate::Equipment::default(),
        });
        turn.command.env.contains_key(OsStr::new(ASK.0))
    }

    #[test]
    fn an_agent_that_would_not_ask_is_told_to_unless_all_is_allowed() {
        assert!(asks(PermissionPolicy::Ask) && asks(PermissionPolicy::Rules));
        assert!(!asks(PermissionPolicy::Allow));
    }
}
