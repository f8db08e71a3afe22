//! Whoever started the agent: its requests, its answers, and what it is told.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::cancel::{Cancel, Halt};

const LOOK: Duration = Duration::from_millis(10);

/// Something the client wants.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    pub(super) id: Value,
    pub(super) method: String,
    #[serde(default)]
    pub(super) params: Value,
}

/// Standard input, read by a thread so that a turn notices when it is cancelled, and standard output.
pub(crate) struct Client {
    lines: Receiver<Value>,
    /// Requests that came while an answer was waited for.
    waiting: RefCell<VecDeque<Request>>,
    questions: Cell<u32>,
    ignores_end: Cell<bool>,
}

impl Client {
    /// Whoever goes away, or cancels, cancels the turn.
    pub(super) fn read(cancelled: Arc<AtomicBool>) -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            forward(&sender, &cancelled);
            cancelled.store(true, Ordering::SeqCst);
        });
        Self {
            lines,
            waiting: RefCell::default(),
            questions: Cell::new(0),
            ignores_end: Cell::new(false),
        }
    }

    /// From here on only a signal ends the program.
    pub(super) fn ignore_end(&self) {
        self.ignores_end.set(true);
    }

    /// The next request; `None` when there is nobody to ask or a signal came.
    pub(super) fn next(&self, cancel: &Cancel) -> Option<Request> {
        if let Some(request) = self.waiting.borrow_mut().pop_front() {
            return Some(request);
        }
        loop {
            if cancel.is_signalled() {
                return None;
            }
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => {
                    if let Ok(request) = serde_json::from_value(line) {
                        return Some(request);
                    }
                }
                Err(RecvTimeoutError::Disconnected) if !self.ignores_end.get() => return None,
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    pub(crate) fn send(&self, message: &Value) -> Result<(), Halt> {
        let mut out = std::io::stdout().lock();
        let written = writeln!(out, "{message}").and_then(|()| out.flush());
        written.map_err(|_closed| Halt::OutputClosed)
    }

    /// Asks whether a tool may be used, and waits for the answer.
    pub(crate) fn ask(
        &self,
        session: &str,
        tool_call: &Value,
        cancel: &Cancel,
    ) -> Result<bool, Halt> {
        let id = self.questions.get();
        self.questions.set(id + 1);
        let option =
            |kind: &str, name: &str| json!({ "optionId": kind, "name": name, "kind": kind });
        let options = [
            option("allow_always", "Always allow"),
            option("allow_once", "Allow"),
            option("reject_once", "Reject"),
        ];
        let params = json!({ "sessionId": session, "toolCall": tool_call, "options": options });
        let method = "session/request_permission";
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            cancel.check()?;
            let Ok(line) = self.lines.recv_timeout(LOOK) else {
                continue;
            };
            if line["id"] == id && line.get("method").is_none() {
                return allowed(&line["result"]["outcome"]);
            }
            let request = serde_json::from_value(line).ok();
            self.waiting.borrow_mut().extend(request);
        }
    }
}

fn allowed(outcome: &Value) -> Result<bool, Halt> {
    match outcome["outcome"].as_str() {
        Some("selected") => Ok(outcome["optionId"] != "reject_once"),
        _ => Err(Halt::Cancelled),
    }
}

fn forward(sender: &Sender<Value>, cancelled: &AtomicBool) {
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(line) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        match line["method"].as_str() {
            Some("session/cancel") => {
                cancelled.store(true, Ordering::SeqCst);
                continue;
            }
            // What cancelled an earlier turn says nothing about this one.
            Some("session/prompt") => cancelled.store(false, Ordering::SeqCst),
            _ => {}
        }
        if sender.send(line).is_err() {
            return;
        }
    }
}
