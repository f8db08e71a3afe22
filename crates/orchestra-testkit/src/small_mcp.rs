//! A small MCP server with two tools: `echo` tells the value of a variable, `erase` is one that nobody should use.
//!
//! `small-mcp` talks on its standard streams. `small-mcp http <authorization>` listens on a free port of this machine, which it
//! prints, and refuses whoever does not send that header.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::net::TcpListener;

/// The variable whose value `echo` tells.
pub const VARIABLE: &str = "SMALL_MCP_VALUE";

/// Serves until it is ended.
pub fn run() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let served = runtime
        .map_err(|error| error.to_string())
        .and_then(|runtime| {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            match arguments[..] {
                ["http", authorization] => runtime.block_on(serve_http(authorization)),
                _ => runtime.block_on(serve_streams()),
            }
        });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            say(&mut io::stderr(), &problem);
            ExitCode::FAILURE
        }
    }
}

fn say(stream: &mut dyn Write, text: &str) {
    // Whoever does not listen does not care.
    writeln!(stream, "{text}")
        .and_then(|()| stream.flush())
        .ok();
}

async fn serve_streams() -> Result<(), String> {
    say(&mut io::stderr(), "the small server is there");
    let running = Small.serve(rmcp::transport::stdio()).await;
    let running = running.map_err(|error| error.to_string())?;
    let ended = running.waiting().await;
    ended.map(|_| ()).map_err(|error| error.to_string())
}

async fn serve_http(authorization: &str) -> Result<(), String> {
    let config = StreamableHttpServerConfig::default();
    let service: StreamableHttpService<Small, LocalSessionManager> =
        StreamableHttpService::new(|| Ok(Small), Arc::default(), config);
    let expected: Arc<str> = authorization.into();
    let guarded = move |request: Request, next: Next| {
        let expected = Arc::clone(&expected);
        async move { admit(&expected, request, next).await }
    };
    let router = axum::Router::new()
        .nest_service("/mcp", service)
        .layer(from_fn(guarded));
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    say(&mut io::stdout(), &format!("http://{address}/mcp"));
    let served = axum::serve(listener, router).await;
    served.map_err(|error| error.to_string())
}

async fn admit(expected: &str, request: Request, next: Next) -> Response {
    let given = request.headers().get("authorization");
    match given.is_some_and(|given| given == expected) {
        true => next.run(request).await,
        false => (StatusCode::UNAUTHORIZED, "who are you?").into_response(),
    }
}

struct Small;

impl ServerHandler for Small {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name: &'static str, about: &'static str| {
            let schema = serde_json::json!({ "type": "object" });
            Tool::new(name, about, schema.as_object().cloned().unwrap_or_default())
        };
        let tools = vec![
            tool("echo", "Tells a value"),
            tool("erase", "Erases everything"),
        ];
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the test asks which environment the server got"
        )]
        let value = std::env::var(VARIABLE).unwrap_or_else(|_| "nothing".to_owned());
        let text = format!("{}: {value}", request.name);
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}
