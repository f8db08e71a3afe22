//! One call of a tool: what was given, who waits for it, and what is answered.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use orchestra_api::{ErrorBody, ErrorReport};
use orchestra_engine::{Act, SessionView};
use rmcp::model::{CallToolResult, JsonObject, ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::Handle;

use super::desk::Desk;
use super::tool::Tool;
use crate::context::Context;
use crate::error::{CliError, REFUSED};

/// More than any prompt needs.
const LONGEST_ARGUMENTS: usize = 1024 * 1024;

/// What a tool answers.
pub(super) struct Answer {
    value: Value,
    /// The code of the failure that it tells of.
    failure: Option<String>,
}

pub(super) type Answered = Result<Answer, CliError>;

/// A call of a tool.
pub(super) struct Call {
    pub(super) desk: Arc<Desk>,
    pub(super) tool: &'static Tool,
    pub(super) arguments: JsonObject,
    /// Whether the client took it back.
    pub(super) cancelled: Box<dyn Fn() -> bool + Send + Sync>,
    pub(super) closing: Arc<AtomicBool>,
    pub(super) progress: Option<Progress>,
}

impl Call {
    pub(super) fn answer(&self) -> CallToolResult {
        match self.require_size().and_then(|()| (self.tool.run)(self)) {
            Ok(answer) if answer.failure.is_some() => {
                CallToolResult::structured_error(answer.value)
            }
            Ok(answer) => CallToolResult::structured(answer.value),
            Err(error) => refusal(error),
        }
    }

    /// The arguments as the tool takes them.
    pub(super) fn given<T: DeserializeOwned>(&self) -> Result<T, CliError> {
        serde_json::from_value(Value::Object(self.arguments.clone())).map_err(|error| {
            CliError::usage(
                format!("{} does not take these arguments: {error}", self.tool.name),
                "the tool's input schema says what it takes",
            )
        })
    }

    /// Whether nobody waits for the answer any more.
    pub(super) fn is_over(&self) -> bool {
        (self.cancelled)() || self.closing.load(Ordering::Relaxed)
    }

    /// A session to look at, with the engine of its repository. A refusal is recorded.
    pub(super) fn session(&self, text: &str) -> Result<(Context, SessionView), CliError> {
        let (there, view) = self.desk.session(text)?;
        if there.engine.require_granted(&view, Act::Look).is_err() {
            self.require(&there, &view, Act::Look)?;
        }
        Ok((there, view))
    }

    /// The repository that a directory is in, if it is granted. A refusal is recorded.
    pub(super) fn repository(&self, directory: Option<&Path>) -> Result<PathBuf, CliError> {
        let found = self.desk.repository(directory);
        if let Err(error) = &found {
            let code = Some(error.code());
            let engine = self.desk.act_in(self.desk.first())?.engine;
            engine.record_call(None, self.tool.name, code)?;
        }
        Ok(found?)
    }

    /// Does something with a session, if it is granted, and records that the caller asked for it.
    pub(super) fn act(
        &self,
        session: &str,
        act: Act,
        work: impl FnOnce(&Context, &SessionView) -> Answered,
    ) -> Answered {
        let (there, view) = self.session(session)?;
        let call = self.require(&there, &view, act)?;
        let answered = work(&there, &view);
        let failed = match &answered {
            Ok(answer) => answer.failure.as_deref(),
            Err(error) => Some(error.code.as_str()),
        };
        if let Some((call, code)) = call.zip(failed) {
            let id = &view.session.id;
            there.engine.record_failed_call(id, call, code)?;
        }
        answered
    }

    /// Refuses what is not granted. Either way it is recorded that the caller asked for it; answers the number of that event.
    pub(super) fn require(
        &self,
        there: &Context,
        view: &SessionView,
        act: Act,
    ) -> Result<Option<u64>, CliError> {
        let granted = there.engine.require_granted(view, act);
        let refused = granted.as_ref().err().map(|error| error.code());
        let id = Some(&view.session.id);
        let call = there.engine.record_call(id, self.tool.name, refused)?;
        granted?;
        Ok(call)
    }

    /// Tells a client that wants to know how far it is.
    pub(super) fn tell(&self, message: impl Into<String>) {
        if let Some(progress) = &self.progress {
            progress.tell(message.into());
        }
    }

    fn require_size(&self) -> Result<(), CliError> {
        let size: usize = self.arguments.values().map(size_of).sum();
        match size > LONGEST_ARGUMENTS {
            true => Err(CliError::usage(
                "the arguments are too large",
                "at most 1 MiB of text is taken; put more into files of the repository",
            )),
            false => Ok(()),
        }
    }
}

fn size_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(size_of).sum::<usize>() + values.len(),
        Value::Object(values) => values
            .iter()
            .map(|(key, value)| key.len() + size_of(value))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

impl Answer {
    /// The answer that the same verb prints with `--json`.
    pub(super) fn of(value: &impl Serialize) -> Answered {
        Self::with(value, None)
    }

    /// The same where it tells of a failure.
    pub(super) fn with(value: &impl Serialize, failure: Option<&ErrorBody>) -> Answered {
        let value = serde_json::to_value(value)
            .map_err(|error| CliError::io("write the answer", &error.into()))?;
        Ok(Self {
            value,
            failure: failure.map(|error| error.code.clone()),
        })
    }
}

/// A failure as a tool answers it.
pub(super) fn refusal(error: CliError) -> CallToolResult {
    let report = ErrorReport {
        error: ErrorBody {
            code: error.code,
            message: error.message,
            hint: error.hint,
        },
    };
    CallToolResult::structured_error(serde_json::to_value(report).unwrap_or_default())
}

pub(super) fn too_many(most: usize) -> CliError {
    CliError {
        code: "mcp.busy".to_owned(),
        message: format!("{most} calls are being answered already"),
        hint: Some("wait for one of them".to_owned()),
        exit: REFUSED,
        finished: None,
    }
}

/// How a client is told how far a call is.
pub(super) struct Progress {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    runtime: Handle,
    steps: std::sync::atomic::AtomicU32,
}

impl Progress {
    /// `None` if the client does not want to know.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        Some(Self {
            token: context.meta.get_progress_token()?,
            peer: context.peer.clone(),
            runtime: Handle::current(),
            steps: std::sync::atomic::AtomicU32::new(0),
        })
    }

    fn tell(&self, message: String) {
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        let told = ProgressNotificationParam::new(self.token.clone(), f64::from(step));
        let told = told.with_message(message);
        let peer = self.peer.clone();
        self.runtime.spawn(async move {
            // A client that went away needs no news.
            peer.notify_progress(told).await.ok();
        });
    }
}
