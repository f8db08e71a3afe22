//! `fake-amp acp`: the same scenarios over the Agent Client Protocol.
//!
//! It offers two models and two modes, continues conversations with `session/load`, asks for permission where a step says so, and ends a
//! turn on `session/cancel`. It needs no login.

mod client;
mod messages;

use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

use serde_json::{Value, json};

pub(crate) use client::Client;
pub(crate) use messages::{announced, notification, notifications};

use super::build::Build;
use super::cancel::{Cancel, Halt};
use super::faults::{self, Shape};
use super::knobs::Knobs;
use super::scenario::Fault;
use super::stream::Transcript;
use super::threads::{Message, Store, Thread};
use super::turn::{self, Ending};
use super::{build, terminal};
use client::Request;

/// The build whose tools are shown: its edits say what was there before.
const BUILD: Build = Build::May;

const AUTH_REQUIRED: i64 = -32_000;
const RESOURCE_NOT_FOUND: i64 = -32_002;
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;
const INTERNAL_ERROR: i64 = -32_603;

/// Serves until standard input ends or a signal comes.
pub(crate) fn run(knobs: &Knobs) -> ExitCode {
    let started =
        Cancel::watch().and_then(|cancel| Ok((cancel, Store::open(&knobs.home(), BUILD)?)));
    let (cancel, store) = match started {
        Ok(started) => started,
        Err(error) => return terminal::fail(BUILD, &error.to_string()),
    };
    let mut agent = Agent {
        knobs,
        store,
        client: Rc::new(Client::read(cancel.asking())),
        cancel: &cancel,
        session: None,
        model: "small".to_owned(),
        mode: "code".to_owned(),
        exit: None,
    };
    ExitCode::from(agent.serve())
}

struct Agent<'a> {
    knobs: &'a Knobs,
    store: Store,
    client: Rc<Client>,
    cancel: &'a Cancel,
    session: Option<Session>,
    model: String,
    mode: String,
    /// The exit code, once a scenario asked for it.
    exit: Option<u8>,
}

struct Session {
    thread: Thread,
    cwd: PathBuf,
}

/// Code, message and details of a refusal.
type Refusal = (i64, String, Option<String>);

impl Agent<'_> {
    fn serve(&mut self) -> u8 {
        while let Some(request) = self.client.next(self.cancel) {
            let answer = match self.answer(&request) {
                Ok(Some(result)) => json!({ "jsonrpc": "2.0", "id": request.id, "result": result }),
                Ok(None) => return self.exit.unwrap_or(0),
                Err((code, message, details)) => {
                    let data = details.map(|details| json!({ "details": details }));
                    let error = json!({ "code": code, "message": message, "data": data });
                    json!({ "jsonrpc": "2.0", "id": request.id, "error": error })
                }
            };
            if self.client.send(&answer).is_err() {
                return 1;
            }
            if let Some(code) = self.exit {
                return code;
            }
        }
        0
    }

    /// Without an answer the program ends.
    fn answer(&mut self, request: &Request) -> Result<Option<Value>, Refusal> {
        let params = &request.params;
        match request.method.as_str() {
            "initialize" => Ok(Some(capabilities())),
            "session/new" => self.open(params).map(Some),
            "session/load" => self.load(params).map(Some),
            "session/set_config_option" => self.set_model(params).map(Some),
            "session/set_mode" => self.set_mode(params).map(Some),
            "session/prompt" => self.prompt(params),
            other => Err((
                METHOD_NOT_FOUND,
                format!("\"Method not found\": {other}"),
                None,
            )),
        }
    }

    fn open(&mut self, params: &Value) -> Result<Value, Refusal> {
        let thread = self.store.create("private");
        let thread = thread.map_err(|error| internal(&error.to_string()))?;
        let id = thread.id.clone();
        let cwd = directory(params)?;
        self.session = Some(Session { thread, cwd });
        Ok(json!({ "sessionId": id, "configOptions": self.options(), "modes": self.modes() }))
    }

    /// Tells the whole conversation again, as the protocol wants it.
    fn load(&mut self, params: &Value) -> Result<Value, Refusal> {
        let id = params["sessionId"].as_str().unwrap_or_default();
        let thread = self.store.load(id).map_err(|error| {
            let line = error.line(BUILD);
            (
                RESOURCE_NOT_FOUND,
                "Resource not found".to_owned(),
                Some(line),
            )
        })?;
        let cwd = directory(params)?;
        for message in &thread.messages {
            let told = messages::replayed(&thread.id, message);
            self.client
                .send(&told)
                .map_err(|_closed| internal("nobody listens"))?;
        }
        self.session = Some(Session { thread, cwd });
        Ok(json!({ "configOptions": self.options(), "modes": self.modes() }))
    }

    /// Tells which mode it is in then.
    fn set_mode(&mut self, params: &Value) -> Result<Value, Refusal> {
        match params["modeId"].as_str() {
            Some(mode @ ("ask" | "code")) => self.mode = mode.to_owned(),
            _ => return Err((INVALID_PARAMS, "Invalid params".to_owned(), None)),
        }
        let update = json!({ "sessionUpdate": "current_mode_update", "currentModeId": self.mode });
        let params = json!({ "sessionId": params["sessionId"], "update": update });
        let told = json!({ "jsonrpc": "2.0", "method": "session/update", "params": params });
        let told = self.client.send(&told);
        told.map_err(|_closed| internal("nobody listens"))?;
        Ok(json!({}))
    }

    fn modes(&self) -> Value {
        let mode = |id: &str, name: &str| json!({ "id": id, "name": name });
        json!({
            "currentModeId": self.mode,
            "availableModes": [mode("ask", "Ask"), mode("code", "Code")],
        })
    }

    fn set_model(&mut self, params: &Value) -> Result<Value, Refusal> {
        match (params["configId"].as_str(), params["value"].as_str()) {
            (Some("model"), Some(model @ ("small" | "large"))) => self.model = model.to_owned(),
            _ => return Err((INVALID_PARAMS, "Invalid params".to_owned(), None)),
        }
        Ok(json!({ "configOptions": self.options() }))
    }

    fn options(&self) -> Value {
        let choice = |value: &str, name: &str| json!({ "value": value, "name": name });
        json!([{
            "id": "model",
            "name": "Model",
            "category": "model",
            "type": "select",
            "currentValue": self.model,
            "options": [choice("small", "Small"), choice("large", "Large")],
        }])
    }

    fn prompt(&mut self, params: &Value) -> Result<Option<Value>, Refusal> {
        let session = self.session.take();
        let Some(mut session) = session.filter(|open| params["sessionId"] == open.thread.id) else {
            return Err((INVALID_PARAMS, "Unknown session".to_owned(), None));
        };
        let prompt = messages::prompt_text(params);
        let mut transcript =
            Transcript::over_acp(BUILD, &session.thread.id, Rc::clone(&self.client));
        let ended = self.turn(&mut session, &prompt, &mut transcript);
        let thread = &mut session.thread;
        thread.tokens += transcript.spent();
        thread.messages.push(Message {
            role: "assistant".to_owned(),
            text: transcript.last_text().to_owned(),
        });
        let saved = self.store.save(thread);
        saved.map_err(|error| internal(&error.to_string()))?;
        self.session = Some(session);
        self.ended(ended?, &transcript)
    }

    fn turn(
        &self,
        session: &mut Session,
        prompt: &str,
        transcript: &mut Transcript,
    ) -> Result<Ending, Refusal> {
        let Session { thread, cwd } = session;
        let plan = turn::begin(self.knobs, BUILD, (&self.store, thread), prompt, cwd);
        let plan = plan.map_err(|message| internal(&message))?;
        if let Some(fault) = plan.fault {
            return Err(refusal(fault));
        }
        match turn::run(BUILD, &plan, cwd, transcript, self.cancel) {
            Ok(ending) => Ok(ending),
            // Only who asks over the protocol gets an answer.
            Err(Halt::Cancelled) if self.cancel.is_signalled() => Ok(Ending::Nothing(143)),
            Err(Halt::Cancelled) => Ok(Ending::Cancelled),
            Err(Halt::OutputClosed) => Ok(Ending::Nothing(1)),
            Err(Halt::Failed(text)) => Err(internal(&text)),
        }
    }

    fn ended(&mut self, ending: Ending, transcript: &Transcript) -> Result<Option<Value>, Refusal> {
        let stopped =
            |reason: &str| json!({ "stopReason": reason, "usage": transcript.used_in_turn() });
        match ending {
            Ending::Success => Ok(Some(stopped("end_turn"))),
            Ending::Cancelled => Ok(Some(stopped("cancelled"))),
            Ending::SuccessThenExit(code) => {
                self.exit = Some(code);
                Ok(Some(stopped("end_turn")))
            }
            Ending::SuccessThenHang => {
                self.client.ignore_end();
                Ok(Some(stopped("end_turn")))
            }
            Ending::Failure { text, .. } => Err(internal(&text)),
            Ending::Nothing(code) => {
                self.exit = Some(code);
                Ok(None)
            }
        }
    }
}

fn capabilities() -> Value {
    let version = build::version_text(BUILD);
    json!({
        "protocolVersion": 1,
        "agentCapabilities": { "loadSession": true },
        "agentInfo": { "name": "fake-amp", "version": version.split(' ').next() },
        "authMethods": [{ "id": "key", "name": "Set AMP_API_KEY" }],
    })
}

fn directory(params: &Value) -> Result<PathBuf, Refusal> {
    let cwd = params["cwd"].as_str().map(PathBuf::from);
    let cwd = cwd.filter(|cwd| cwd.is_absolute());
    cwd.ok_or_else(|| {
        (
            INVALID_PARAMS,
            "cwd must be an absolute path".to_owned(),
            None,
        )
    })
}

fn internal(details: &str) -> Refusal {
    let details = Some(details.to_owned());
    (INTERNAL_ERROR, "Internal error".to_owned(), details)
}

/// A fault in the words of the build that tells all of them in its result.
fn refusal(fault: Fault) -> Refusal {
    if fault == Fault::Unauthorized {
        return (AUTH_REQUIRED, "Authentication required".to_owned(), None);
    }
    match faults::shape(fault, Build::Jan) {
        Shape::Result { error: text, .. } | Shape::BeforeOutput(text) | Shape::NoResult(text) => {
            internal(&text)
        }
    }
}
