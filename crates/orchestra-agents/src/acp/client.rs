//! Our side of the conversation: what is asked, one thing after the other.

use std::collections::VecDeque;

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
    mode: Option<String>,
    prompt: String,
    spent: Option<u64>,
    servers: Vec<McpServer>,
    /// What the agent has not answered yet.
    asked: Option<Request>,
    /// What it is asked before the turn, with the method and what belongs to it.
    next: VecDeque<(Request, &'static str, Value)>,
    replies: Vec<u8>,
}

/// What a turn is done with.
pub(super) struct Choice {
    /// The mode, if the agent has some.
    pub(super) mode: Option<String>,
    /// The model.
    pub(super) model: ModelChoice,
}

/// A mode that the agent does not offer.
pub(super) struct MissingMode {
    pub(super) wanted: String,
    /// Those that it does.
    pub(super) offered: Vec<String>,
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
            mode: turn.mode.map(str::to_owned),
            prompt: turn.prompt.to_owned(),
            spent: turn.spent,
            servers: turn.equipment.servers.to_vec(),
            asked: None,
            next: VecDeque::new(),
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

    pub(super) fn mode(&self) -> Option<&str> {
        self.mode.as_deref()
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

    /// Asks for the mode and the model that are wanted, and for the turn once that is settled. The mode comes first: it may
    /// bring a model of its own along.
    ///
    /// # Errors
    /// If the agent does not offer the mode. Then nothing is asked.
    pub(super) fn settle(&mut self, session: &str, opened: &Opened) -> Result<Choice, MissingMode> {
        let mode = self.choose_mode(session, opened)?;
        let model = self.choose_model(session, opened);
        self.go_on(session);
        Ok(Choice { mode, model })
    }

    /// Asks for what is to be settled next, or else for the turn.
    pub(super) fn go_on(&mut self, session: &str) {
        if let Some((request, method, params)) = self.next.pop_front() {
            return self.ask(request, method, &params);
        }
        let prompt = json!([{ "type": "text", "text": self.prompt }]);
        let params = json!({ "sessionId": session, "prompt": prompt });
        self.ask(Request::Prompt, Request::Prompt.method(), &params);
    }

    /// The mode that the turn has.
    fn choose_mode(
        &mut self,
        session: &str,
        opened: &Opened,
    ) -> Result<Option<String>, MissingMode> {
        let Some(wanted) = self.mode.clone() else {
            return Ok(opened.mode());
        };
        match opened.mode_wish(session, &wanted) {
            Wish::Ask { method, params, id } => {
                self.next.push_back((Request::SetMode, method, params));
                Ok(Some(id))
            }
            Wish::Granted => Ok(opened.mode()),
            Wish::NotOffered => Err(MissingMode {
                wanted,
                offered: opened.modes(),
            }),
        }
    }

    fn choose_model(&mut self, session: &str, opened: &Opened) -> ModelChoice {
        let own = opened.model();
        let Some(wanted) = self.model.clone() else {
            return ModelChoice::Own(own);
        };
        match opened.wish(session, &wanted) {
            Wish::Ask { method, params, id } => {
                self.next.push_back((Request::SetModel, method, params));
                ModelChoice::Wanted(id)
            }
            Wish::Granted => ModelChoice::Own(own),
            Wish::NotOffered => ModelChoice::Missing { wanted, own },
        }
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

impl MissingMode {
    pub(super) fn words(&self) -> String {
        let Self { wanted, offered } = self;
        match offered.is_empty() {
            true => format!("it offers no modes, so it cannot use the mode `{wanted}`"),
            false => format!(
                "it does not offer the mode `{wanted}`, only {}",
                offered.join(", ")
            ),
        }
    }
}
