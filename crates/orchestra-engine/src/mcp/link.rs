//! Talking with MCP servers. A program runs under a guardian, so that none stays behind.

mod bridge;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use orchestra_agents::mcp::{McpReach, McpServer, McpValue};
use orchestra_config::child_env::Variables;
use orchestra_config::variables::ORCHESTRA_RUN;
use orchestra_core::redact::Redactor;
use orchestra_process::{CommandSpec, Guardian, Marker, Stdin};
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, serve_client};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::McpError;
use bridge::Bridge;
pub(super) use bridge::Followers;

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes, as JSON Schema.
    pub schema: Value,
    /// Whether agents may use it.
    pub is_allowed: bool,
}

/// Where programs of servers run.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) guardian: Guardian,
    pub(super) environment: Variables,
    pub(super) directory: PathBuf,
    /// The mark on its processes.
    pub(super) mark: String,
    /// What knows its secrets.
    pub(super) redactor: Redactor,
    /// Who follows the programs that run there.
    pub(super) followers: Followers,
}

/// A server that is talked with.
pub(super) struct Link {
    pub(super) client: RunningService<RoleClient, ()>,
    /// Ends the program with it.
    _bridge: Option<Bridge>,
}

pub(super) fn runtime() -> Result<Runtime, McpError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(McpError::NoRuntime)
}

/// The tools of a server.
pub(super) fn list_tools(
    server: &McpServer,
    place: &Place,
    limit: Duration,
) -> Result<Vec<McpTool>, McpError> {
    let runtime = runtime()?;
    let said = Said::default();
    let asked = runtime.block_on(async {
        let asking = async {
            let link = connect(server, place, &said).await?;
            let tools = link.client.list_all_tools().await;
            tools.map_err(|error| said.refused(server, &error, place))
        };
        tokio::time::timeout(limit, asking).await
    });
    runtime.shutdown_background();
    place.followers.wait();
    let tools = asked.map_err(|_| McpError::Silent {
        server: server.name.clone(),
        limit,
        said: said.text(place),
    })??;
    let told = tools.into_iter().map(|tool| McpTool {
        is_allowed: server.allows(&tool.name),
        description: tool.description.unwrap_or_default().into_owned(),
        schema: Value::Object((*tool.input_schema).clone()),
        name: tool.name.into_owned(),
    });
    Ok(told.collect())
}

/// Connects to a server.
pub(super) async fn connect(
    server: &McpServer,
    place: &Place,
    said: &Said,
) -> Result<Link, McpError> {
    match &server.reach {
        McpReach::Program { command, env } => {
            let bridge = start(server, command, env, place, said)?;
            let (bridge, streams) = bridge;
            let client = serve_client((), streams).await;
            let client = client.map_err(|error| said.refused(server, &error, place))?;
            Ok(Link {
                client,
                _bridge: Some(bridge),
            })
        }
        McpReach::Address { url, headers } => {
            let transport = address(url, headers);
            let transport = transport.map_err(|error| said.refused(server, &*error, place))?;
            let client = serve_client((), transport).await;
            let client = client.map_err(|error| said.refused(server, &error, place))?;
            Ok(Link {
                client,
                _bridge: None,
            })
        }
    }
}

fn start(
    server: &McpServer,
    command: &[String],
    env: &[(String, McpValue)],
    place: &Place,
    said: &Said,
) -> Result<(Bridge, tokio::io::DuplexStream), McpError> {
    let program = command.first().cloned().unwrap_or_default();
    let own = env.iter().map(|(name, value)| (name, value.text()));
    let spec = CommandSpec::new(program, &place.directory)
        .args(command.get(1..).unwrap_or_default())
        .envs(&place.environment)
        .envs(own)
        .stdin(Stdin::Open(Vec::new()));
    let marker = Marker::new(ORCHESTRA_RUN, place.mark.clone());
    Bridge::start(
        &place.guardian,
        &spec,
        &marker,
        said.clone(),
        &place.followers,
    )
    .map_err(|source| McpError::NotStarted {
        server: server.name.clone(),
        source,
    })
}

type Http = StreamableHttpClientTransport<reqwest::Client>;

fn address(
    url: &str,
    headers: &[(String, McpValue)],
) -> Result<Http, Box<dyn std::error::Error + Send + Sync>> {
    // Somebody may have chosen before; either one will do.
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        rustls::crypto::ring::default_provider()
            .install_default()
            .ok();
    }
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let mut text = HeaderValue::from_str(value.text())?;
        text.set_sensitive(matches!(value, McpValue::Secret(_)));
        custom.insert(HeaderName::from_bytes(name.as_bytes())?, text);
    }
    // Headers with secrets must not follow a redirection to somebody else.
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()?;
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// The end of what a program complained about.
#[derive(Debug, Clone, Default)]
pub(super) struct Said(Arc<Mutex<Vec<u8>>>);

const LONGEST_COMPLAINT: usize = 600;

impl Said {
    fn add(&self, chunk: &[u8]) {
        if let Ok(mut said) = self.0.lock() {
            said.extend_from_slice(chunk);
            let over = said.len().saturating_sub(LONGEST_COMPLAINT);
            said.drain(..over);
        }
    }

    fn text(&self, place: &Place) -> String {
        let said = self.0.lock().map(|said| said.clone()).unwrap_or_default();
        let text = String::from_utf8_lossy(&said).trim().to_owned();
        place.redactor.redact(&text).into_owned()
    }

    fn refused(
        &self,
        server: &McpServer,
        error: &dyn std::error::Error,
        place: &Place,
    ) -> McpError {
        let mut problem = error.to_string();
        let mut source = error.source();
        while let Some(next) = source {
            let text = next.to_string();
            if !problem.contains(&text) {
                problem = format!("{problem}: {text}");
            }
            source = next.source();
        }
        // The library puts the names of its own types first.
        let problem = problem.split("] error: ").last().unwrap_or_default();
        McpError::Refused {
            server: server.name.clone(),
            problem: place.redactor.redact(problem).into_owned(),
            said: self.text(place),
        }
    }
}
