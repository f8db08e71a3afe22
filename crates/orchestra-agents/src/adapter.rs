//! What every adapter answers. An adapter is plain data in and out, so it is tested from lines alone.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_core::{AgentEvent, Decision};
use orchestra_process::Exit;

use crate::agent::{Abilities, Features, Login, Surroundings, Turn, TurnRequest};
use crate::mcp::McpServer;

/// One way to talk with agents.
pub(crate) trait Adapter {
    /// The command of one turn and a reader for what it prints.
    fn turn(&self, request: &TurnRequest<'_>) -> Turn;

    /// A reader for output that was kept: it answers nobody.
    fn reader(&self) -> Box<dyn Decoder>;

    /// Settings that make the agent ask a program before it uses a tool, where it takes some.
    fn asking_settings(&self, _hook: &Path) -> Option<String> {
        None
    }

    /// Settings with which the agent uses no tool, where it takes some.
    fn refusing_settings(&self) -> Option<String> {
        None
    }

    /// The file that tells the agent of MCP servers, where it reads one.
    fn mcp_file(&self, _servers: &[McpServer]) -> Option<String> {
        None
    }

    /// Whether the agent can be told of a server as it is, without a secret on its command line.
    fn takes_server(&self, _server: &McpServer) -> bool {
        false
    }

    /// Whether a build looks for toolboxes itself.
    fn reads_toolboxes(&self, _features: &Features) -> bool {
        false
    }

    /// What can be done with a build.
    fn abilities(&self, features: &Features) -> Abilities;

    /// Whether it can be expected to be logged in.
    fn login(&self, surroundings: &Surroundings<'_>) -> Login;

    /// How a user logs in.
    fn login_hint(&self) -> &'static str;

    /// A file of the agent's own that tells which model worked, where its output does not.
    fn record_of(&self, _thread: &str, _surroundings: &Surroundings<'_>) -> Option<PathBuf> {
        None
    }

    /// The model that such a file tells of.
    fn model_in(&self, _record: &[u8]) -> Option<String> {
        None
    }
}

/// Turns the output of one turn into events, line by line.
pub trait Decoder: fmt::Debug + Send {
    /// Decodes one line of standard output, without its line break. What cannot be read is kept as an event, too.
    fn line(&mut self, line: &[u8]) -> Vec<AgentEvent>;

    /// What the agent has to be sent now. Asked after every line and after [`Self::decide`] and [`Self::cancel`].
    fn take_replies(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Tells the agent what was decided about a use of a tool that it asked about.
    fn decide(&mut self, _id: &str, _decision: Decision) -> PassedOn {
        PassedOn::ToNobody
    }

    /// Asks the agent to end the turn by itself. False: only a signal can.
    fn cancel(&mut self) -> bool {
        false
    }

    /// Whether the agent has said how the turn ended, so that only its process has to end.
    fn is_over(&self) -> bool;

    /// How long the process may stay once the turn is over. Amp uploads its thread then.
    fn stay(&self) -> Duration {
        Duration::from_secs(30)
    }

    /// What was held back because more of it could have come. Asked once no line follows.
    fn rest(&mut self) -> Vec<AgentEvent> {
        Vec::new()
    }

    /// Says how the turn ended, once the process is gone: always one `awaiting_input`, `finished` or `failed` event.
    fn finish(&mut self, exit: Exit, stderr_tail: &str) -> AgentEvent;
}

/// What an agent hears of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassedOn {
    /// What was decided.
    AsDecided,
    /// That its question was cancelled, since it offers no answer that means this one use.
    AsCancelled,
    /// Nothing: it does not wait for it.
    ToNobody,
}
