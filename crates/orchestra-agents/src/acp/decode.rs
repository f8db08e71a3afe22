//! One turn over the protocol: answers move it on, notifications tell what happens in it.

use std::time::Duration;

use orchestra_core::{AgentEvent, Decision, FailureCause, Role};
use orchestra_process::Exit;
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Choice, Client, MissingMode, ModelChoice};
use super::model::Opened;
use super::questions::{self, Questions};
use super::spending::Spending;
use super::text::{HeldText, Voice};
use super::tool_calls::ToolCalls;
use super::wire::{
    self, Answered, AuthMethod, Incoming, Initialized, PermissionRequest, Request, RpcError,
    SessionNotice, Update,
};
use crate::adapter::{Decoder, PassedOn};
use crate::ending::without_result;
use crate::failure::classify;
use crate::question::asks_something;
use crate::unread::{is_blank, unrecognized};

const CANCELLED: &str = "the turn was cancelled";

/// Reads one turn, and asks for it where there is a client.
#[derive(Debug, Default)]
pub(super) struct AcpDecoder {
    /// Nobody is asked or answered when kept output is read.
    client: Option<Client>,
    session: Option<String>,
    is_open: bool,
    is_cancelled: bool,
    /// The ways to log in.
    logins: Vec<String>,
    text: HeldText,
    calls: ToolCalls,
    questions: Questions,
    spending: Spending,
    last_text: Option<String>,
    ended: Option<AgentEvent>,
}

impl AcpDecoder {
    pub(super) fn talking(client: Client) -> Self {
        Self {
            client: Some(client),
            ..Self::default()
        }
    }
}

impl Decoder for AcpDecoder {
    fn line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        if is_blank(line) {
            return Vec::new();
        }
        let Ok(incoming) = serde_json::from_slice::<Incoming>(line) else {
            return self.unrecognized(line);
        };
        let understood = match (&incoming.method, incoming.id.is_some()) {
            (Some(_), true) => self.asked(incoming),
            (Some(_), false) => self.noticed(incoming),
            (None, _) => self.answered(incoming),
        };
        understood.unwrap_or_else(|| self.unrecognized(line))
    }

    fn take_replies(&mut self) -> Vec<u8> {
        let client = self.client.as_mut();
        client.map(Client::take_replies).unwrap_or_default()
    }

    fn decide(&mut self, id: &str, decision: Decision) -> PassedOn {
        let Some((answer, passed_on)) = self.questions.decide(id, decision) else {
            return PassedOn::ToNobody;
        };
        self.send([answer]);
        passed_on
    }

    fn cancel(&mut self) -> bool {
        let session = self.session.clone().filter(|_| self.is_open);
        let Some(session) = session.filter(|_| self.client.is_some() && !self.is_over()) else {
            return false;
        };
        self.is_cancelled = true;
        let waiting = self.questions.cancel();
        self.send(waiting);
        let params = json!({ "sessionId": session });
        self.send([wire::notification("session/cancel", &params)]);
        true
    }

    fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// An agent serves until nobody asks it any more; some go on even then.
    fn stay(&self) -> Duration {
        Duration::from_secs(2)
    }

    fn rest(&mut self) -> Vec<AgentEvent> {
        let mut events = self.spoken();
        events.extend(self.calls.untold());
        events
    }

    fn finish(&mut self, exit: Exit, stderr_tail: &str) -> AgentEvent {
        let ended = self.ended.take();
        ended.unwrap_or_else(|| without_result(exit, stderr_tail))
    }
}

/// Answers to what was asked. `None` is a line that nobody understands.
impl AcpDecoder {
    fn answered(&mut self, incoming: Incoming) -> Option<Vec<AgentEvent>> {
        let request = Request::answered_by(&incoming.id?)?;
        if incoming.error.is_none() && incoming.result.is_none() {
            return None;
        }
        let is_awaited = self
            .client
            .as_mut()
            .is_none_or(|client| client.takes(request));
        if !is_awaited || self.is_over() {
            return None;
        }
        if let Some(error) = incoming.error {
            return Some(self.refused(request, &error));
        }
        let moved = self.moved_on(request, incoming.result.unwrap_or_default());
        if moved.is_none() {
            let message = format!("its answer to `{}` cannot be read", request.method());
            self.ended = Some(AgentEvent::Failed {
                cause: FailureCause::Other,
                message,
            });
        }
        moved
    }

    fn moved_on(&mut self, request: Request, result: Value) -> Option<Vec<AgentEvent>> {
        match request {
            Request::Initialize => Some(self.initialized(read(result)?)),
            Request::New | Request::Load | Request::Resume => self.opened(request, &read(result)?),
            Request::SetModel | Request::SetMode => Some(self.settled()),
            Request::Prompt => Some(self.over(&read(result)?)),
        }
    }

    fn initialized(&mut self, agent: Initialized) -> Vec<AgentEvent> {
        if agent.protocol_version != wire::VERSION {
            let spoken = agent.protocol_version;
            let message = format!("it speaks version {spoken} of the protocol, not 1");
            return self.fail(FailureCause::Other, message);
        }
        if agent.remembers_costs() {
            let spent = self.client.as_ref().and_then(Client::spent);
            self.spending.learn_before(spent);
        }
        let continues = self
            .client
            .as_mut()
            .is_none_or(|client| client.open(&agent));
        let logins = agent.auth_methods.into_iter().flatten();
        self.logins = logins.map(AuthMethod::words).collect();
        let text = "the agent cannot continue a conversation, so this is a new one".to_owned();
        let diagnostic = AgentEvent::Diagnostic { text };
        (!continues).then_some(diagnostic).into_iter().collect()
    }

    fn opened(&mut self, request: Request, opened: &Opened) -> Option<Vec<AgentEvent>> {
        let continued = self.client.as_ref().and_then(Client::thread);
        let continued = continued.filter(|_| request != Request::New);
        let session = opened.session_id.as_deref().or(continued);
        let session = session.or(self.session.as_deref()).map(str::to_owned);
        if request == Request::New {
            self.spending.begin();
            session.as_ref()?;
        }
        self.is_open = true;
        self.session.clone_from(&session);
        let Choice { mode, model } = match self.settle(session.as_deref(), opened) {
            Ok(choice) => choice,
            Err(missing) => return Some(self.fail(FailureCause::BadInput, missing.words())),
        };
        let (model, text) = match model {
            ModelChoice::Own(own) => (own, None),
            ModelChoice::Wanted(model) => (Some(model), None),
            ModelChoice::Missing { wanted, own } => {
                let text = format!("the agent does not offer the model `{wanted}`");
                (own, Some(text))
            }
        };
        let started = AgentEvent::Started {
            thread: session,
            model,
            mode,
            tools: Vec::new(),
        };
        let diagnostic = text.map(|text| AgentEvent::Diagnostic { text });
        let prompt = self.client.as_ref().map(|client| AgentEvent::Message {
            role: Role::User,
            text: client.prompt().to_owned(),
        });
        let events = [Some(started), diagnostic, prompt];
        Some(events.into_iter().flatten().collect())
    }

    fn settle(&mut self, session: Option<&str>, opened: &Opened) -> Result<Choice, MissingMode> {
        match (&mut self.client, session) {
            (Some(client), Some(session)) => client.settle(session, opened),
            _ => Ok(Choice {
                mode: opened.mode(),
                model: ModelChoice::Own(opened.model()),
            }),
        }
    }

    fn settled(&mut self) -> Vec<AgentEvent> {
        if self.is_cancelled {
            return self.fail(FailureCause::Stopped, CANCELLED.to_owned());
        }
        if let (Some(client), Some(session)) = (&mut self.client, &self.session) {
            client.go_on(session);
        }
        Vec::new()
    }

    fn over(&mut self, answer: &Answered) -> Vec<AgentEvent> {
        let mut events = self.rest();
        events.extend(self.spending.of_turn(answer.usage.as_ref()));
        let failed = |cause, message: &str| AgentEvent::Failed {
            cause,
            message: message.to_owned(),
        };
        self.ended = Some(match answer.stop_reason.as_str() {
            "end_turn" => match self.last_text.take() {
                Some(text) if asks_something(&text) => AgentEvent::AwaitingInput { question: text },
                summary => AgentEvent::Finished { summary },
            },
            "cancelled" => failed(FailureCause::Stopped, CANCELLED),
            "refusal" => failed(FailureCause::Other, "the agent refused to go on"),
            "max_tokens" => failed(
                FailureCause::Other,
                "the model reached the most tokens it may write",
            ),
            "max_turn_requests" => failed(
                FailureCause::Other,
                "the agent reached the most requests it makes in a turn",
            ),
            other => failed(
                FailureCause::Other,
                &format!("the turn stopped for an unknown reason: `{other}`"),
            ),
        });
        events
    }

    fn refused(&mut self, request: Request, error: &RpcError) -> Vec<AgentEvent> {
        let words = error.words();
        let (cause, message) = match (request, classify(&words)) {
            _ if error.code == wire::AUTH_REQUIRED => {
                (FailureCause::NotLoggedIn, self.login_words(words))
            }
            (Request::Load | Request::Resume, FailureCause::Other) => {
                (FailureCause::ThreadUnavailable, words)
            }
            (Request::SetMode, FailureCause::Other) => {
                let mode = self.client.as_ref().and_then(Client::mode);
                let mode = mode.unwrap_or_default();
                let message = format!("it cannot use the mode `{mode}`: {words}");
                (FailureCause::BadInput, message)
            }
            (Request::SetModel, FailureCause::Other) => {
                let model = self.client.as_ref().and_then(Client::model);
                let model = model.unwrap_or_default();
                let message = format!("it cannot use the model `{model}`: {words}");
                (FailureCause::BadInput, message)
            }
            (_, cause) => (cause, words),
        };
        self.fail(cause, message)
    }

    /// The agent tells how it can be logged in, which no setting here does.
    fn login_words(&self, words: String) -> String {
        match self.logins.is_empty() {
            true => words,
            false => format!("{words} ({})", self.logins.join(", ")),
        }
    }

    fn fail(&mut self, cause: FailureCause, message: String) -> Vec<AgentEvent> {
        let events = self.rest();
        self.ended = Some(AgentEvent::Failed { cause, message });
        events
    }
}

/// What the agent tells and asks by itself.
impl AcpDecoder {
    fn noticed(&mut self, incoming: Incoming) -> Option<Vec<AgentEvent>> {
        if incoming.method.as_deref() != Some("session/update") {
            return None;
        }
        let notice: SessionNotice = read(incoming.params)?;
        if !self.is_open {
            // A conversation that is continued is told from its beginning.
            self.session = notice.session_id.or(self.session.take());
            if let Update::Usage { cost } = notice.update {
                self.spending
                    .learn_before(cost.and_then(|cost| cost.micro_usd()));
            }
            return Some(Vec::new());
        }
        Some(self.update(notice.update))
    }

    fn update(&mut self, update: Update) -> Vec<AgentEvent> {
        match update {
            Update::AgentMessageChunk(chunk) => {
                let over = self
                    .text
                    .add(Voice::Message, chunk.message_id.clone(), &chunk.text());
                self.hear(over)
            }
            Update::AgentThoughtChunk(chunk) => {
                let over = self
                    .text
                    .add(Voice::Thought, chunk.message_id.clone(), &chunk.text());
                self.hear(over)
            }
            Update::ToolCall(fields) => {
                let mut events = self.spoken();
                events.extend(self.calls.learn(fields));
                events
            }
            Update::ToolCallChange(fields) => {
                let told = self.calls.learn(fields);
                self.after_text(told)
            }
            Update::Plan { entries } => {
                let steps = entries.into_iter().map(Into::into).collect();
                self.after_text(vec![AgentEvent::Plan { steps }])
            }
            Update::Usage { cost } => {
                self.spending.learn(cost.and_then(|cost| cost.micro_usd()));
                Vec::new()
            }
            Update::UserMessageChunk {} | Update::Offer {} => Vec::new(),
        }
    }

    fn asked(&mut self, incoming: Incoming) -> Option<Vec<AgentEvent>> {
        let id = incoming.id?;
        let request = match incoming.method.as_deref() {
            Some("session/request_permission") => read::<PermissionRequest>(incoming.params),
            _ => None,
        };
        let Some(request) = request else {
            let words = "this client offers no such method";
            self.send([wire::refusal(&id, wire::METHOD_NOT_FOUND, words)]);
            return None;
        };
        let call = request.tool_call.tool_call_id.clone();
        let title = request.tool_call.title.clone();
        let told = self.calls.learn(request.tool_call);
        let mut events = self.after_text(told);
        if self.is_cancelled {
            self.send([questions::cancelled(&id)]);
            return Some(events);
        }
        let (tool_use, first_title) = self.calls.tool_use(&call);
        events.push(AgentEvent::PermissionAsked {
            id: questions::name(&id),
            tool_use,
            title: title.or(first_title),
        });
        let over = self.questions.keep(id, request.options);
        self.send(over);
        Some(events)
    }

    /// Something else than text, after the text that came before it.
    fn after_text(&mut self, events: Vec<AgentEvent>) -> Vec<AgentEvent> {
        if events.is_empty() {
            return events;
        }
        let mut all = self.spoken();
        all.extend(events);
        all
    }

    fn spoken(&mut self) -> Vec<AgentEvent> {
        let held = self.text.take();
        self.hear(held)
    }

    fn hear(&mut self, said: Option<AgentEvent>) -> Vec<AgentEvent> {
        if let Some(AgentEvent::Message { text, .. }) = &said {
            self.last_text = Some(text.clone());
        }
        said.into_iter().collect()
    }

    fn unrecognized(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        self.after_text(vec![unrecognized(line)])
    }

    fn send(&mut self, messages: impl IntoIterator<Item = Value>) {
        if let Some(client) = &mut self.client {
            messages
                .into_iter()
                .for_each(|message| client.send(&message));
        }
    }
}

/// An agent may answer with nothing where all is optional.
fn read<T: for<'de> Deserialize<'de>>(value: Value) -> Option<T> {
    let value = if value.is_null() { json!({}) } else { value };
    serde_json::from_value(value).ok()
}

#[cfg(test)]
mod tests;
