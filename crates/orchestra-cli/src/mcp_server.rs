//! Orchestra as an MCP server: a face for agents. Tools are the verbs of the command line, within a grant, and answer
//! what these print with `--json`.

mod call;
mod desk;
mod landing;
mod removal;
mod tool;
mod watching;
mod work;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use orchestra_engine::Grant;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::runtime::Builder;

use self::call::{Call, Progress};
use self::desk::Desk;
use self::tool::Tool;
use crate::context::Context;
use crate::error::CliError;

/// Calls that wait or work at the same time; each has a thread.
const MOST_AT_ONCE: usize = 32;

const INSTRUCTIONS: &str = "\
Sessions are prompts that coding agents work on, each on its own branch in its own git worktree. Make one with \
session_create, wait with session_wait, look at what it did with session_diff and session_transcript, send it on with \
session_iterate, and ask session_check whether it may land. A refusal has a code, a reason and a hint; codes that begin \
with `grant.` mean that the user did not grant it, so do not look for a way around.";

/// Serves until standard input ends. What is in the middle of a change then is finished first; agents go on.
pub(crate) fn serve(context: &Context, grant: Grant) -> Result<(), CliError> {
    let server = Server {
        desk: Arc::new(Desk::new(context, grant)?),
        calls: Arc::default(),
        closing: Arc::default(),
    };
    let closing = Arc::clone(&server.closing);
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| CliError::io("start the server", &source))?;
    let served = runtime.block_on(async {
        let running = server.serve(rmcp::transport::stdio()).await;
        let running = running.map_err(|error| error.to_string())?;
        let ended = running.waiting().await;
        ended.map(drop).map_err(|error| error.to_string())
    });
    closing.store(true, Ordering::Relaxed);
    drop(runtime);
    served.map_err(|problem| CliError {
        code: "mcp.refused".to_owned(),
        message: format!("whoever started this server does not speak MCP with it: {problem}"),
        hint: Some(
            "it is started by an agent's MCP settings; `orchestra mcp serve --help` has examples"
                .to_owned(),
        ),
        exit: crate::error::FAILED,
        finished: None,
    })
}

struct Server {
    desk: Arc<Desk>,
    calls: Arc<AtomicUsize>,
    closing: Arc<AtomicBool>,
}

impl Server {
    fn call(
        &self,
        tool: &'static Tool,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Call {
        let token = context.ct.clone();
        Call {
            desk: Arc::clone(&self.desk),
            tool,
            arguments: request.arguments.unwrap_or_default(),
            cancelled: Box::new(move || token.is_cancelled()),
            closing: Arc::clone(&self.closing),
            progress: Progress::of(context),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("orchestra", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tool::ALL.iter().flat_map(|group| group.iter());
        let tools = tools.filter(|tool| tool.is_listed(self.desk.grant()));
        Ok(ListToolsResult::with_all_items(
            tools.map(Tool::description).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tool::find(&request.name) else {
            return Err(ErrorData::invalid_params("there is no such tool", None));
        };
        let call = self.call(tool, request, &context);
        let _place = Place::take(&self.calls);
        if self.calls.load(Ordering::Relaxed) > MOST_AT_ONCE {
            return Ok(call::refusal(call::too_many(MOST_AT_ONCE)).into());
        }
        let done = tokio::task::spawn_blocking(move || call.answer()).await;
        let done = done.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(done.into())
    }
}

/// Counts a call as long as it is kept.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(calls: &Arc<AtomicUsize>) -> Self {
        calls.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(calls))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
