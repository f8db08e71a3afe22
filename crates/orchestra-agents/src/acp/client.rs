//! Our side of the conversation: what is asked, one thing after the other.

use serde_json::{Value, json};

use super::model::{Opened, Wish};
use super::wire::{self, Initialized, Request};
use crate::agent::TurnRequest;
use crate::mcp::{McpServer, acp_servers};

/// Asks the agent for one turn.
#[derive(Debug)]
pub(super) struct Client {
    worktree: String,
    thread: Option<String>,
    model: Option<String>,
    prompt: String,
    spent: Option<u64>,
    servers: Vec<McpServer>,
    /// What the agent has not answered yet.
    asked: Option<Request>,
    replies: Vec<u8>,
}

/// What asking for a model came to.
pub(super) enum ModelChoice {
    /// The one the session has.
    Own(Option<String>),
    /// The one that was asked for.
    Wanted(String),
    /// Not the one that was asked for.
    Missing { wanted: String, own: Option<String> },
}

impl Client {
    /// Begins with `initialize`.
    pub(super) fn new(turn: &TurnRequest<'_>) -> Self {
        let mut client = Self {
            worktree: turn.worktree.to_string_lossy().into_owned(),
            thread: turn.thread.map(str::to_owned),
            model: turn.model.map(str::to_owned),
            prompt: turn.prompt.to_owned(),
            spent: turn.spent,
            servers: turn.equipment.servers.to_vec(),
            asked: None,
            replies: Vec::new(),
        };
        let capabilities = json!({
            "fs": { "readTextFile": false, "writeTextFile": false },
            "terminal": false,
        });
        let params = json!({
            "protocolVersion": wire::VERSION,
            "clientCapabilities": capabilities,
            "clientInfo": {
                "name": "orchestra",
                "title": "Amp Orchestra",
                "version": env!("CARGO_PKG_VERSION"),
            },
        });
        client.ask(Request::Initialize, Request::Initialize.method(), &params);
        client
    }

    pub(super) fn prompt(&self) -> &str {
        &self.prompt
    }

    pub(super) fn thread(&self) -> Option<&str> {
        self.thread.as_deref()
    }

    /// What the conversation had cost before this turn, as far as it was told.
    pub(super) fn spent(&self) -> Option<u64> {
        self.spent
    }

    pub(super) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    pub(super) fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }

    /// Whether the agent answers what it was asked last.
    pub(super) fn takes(&mut self, request: Request) -> bool {
        let is_awaited = self.asked == Some(request);
        if is_awaited {
            self.asked = None;
        }
        is_awaited
    }

    /// Opens the conversation; false if the one to continue has to be a new one.
    pub(super) fn open(&mut self, agent: &Initialized) -> bool {
        let mut params = json!({ "cwd": self.worktree, "mcpServers": acp_servers(&self.servers) });
        let request = match (&self.thread, agent.way_to_continue()) {
            (Some(thread), Some(way)) => {
                params["sessionId"] = thread.as_str().into();
                way
            }
            _ => Request::New,
        };
        let is_lost = self.thread.is_some() && request == Request::New;
        self.ask(request, request.method(), &params);
        !is_lost
    }

    /// Asks for the model that is wanted, and for the turn once that is settled.
    pub(super) fn choose_model(&mut self, session: &str, opened: &Opened) -> ModelChoice {
        let own = opened.model();
        let Some(wanted) = self.model.clone() else {
            self.ask_for_turn(session);
            return ModelChoice::Own(own);
        };
        match opened.wish(session, &wanted) {
            Wish::Ask {
                method,
                params,
                model,
            } => {
                self.ask(Request::SetModel, method, &params);
                ModelChoice::Wanted(model)
            }
            Wish::Granted => {
                self.ask_for_turn(session);
                ModelChoice::Own(own)
            }
            Wish::NotOffered => {
                self.ask_for_turn(session);
                ModelChoice::Missing { wanted, own }
            }
        }
    }

    pub(super) fn ask_for_turn(&mut self, session: &str) {
        let prompt = json!([{ "type": "text", "text": self.prompt }]);
        let params = json!({ "sessionId": session, "prompt": prompt });
        self.ask(Request::Prompt, Request::Prompt.method(), &params);
    }

    fn ask(&mut self, request: Request, method: &str, params: &Value) {
        self.asked = Some(request);
        self.send(&wire::request(request, method, params));
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.replies
            .extend_from_slice(message.to_string().as_bytes());
        self.replies.push(b'\n');
    }
}
