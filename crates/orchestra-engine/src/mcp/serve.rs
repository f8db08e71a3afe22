//! Serving tools to an agent on standard input and output: those of a toolbox, or some of another server's.

mod gate;
mod toolbox;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_agents::mcp::McpServer;
use orchestra_config::{Environment, variables};
use orchestra_core::redact::{Redactor, Secret};
use orchestra_process::{Guardian, Marker};
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, ServiceExt};

use super::McpError;
use super::link::{self, Followers, Place, Said, runtime};
use crate::GUARDIAN_MODE;
use crate::toolbox::{ToolRunner, manifest_of};
use gate::Gate;
use toolbox::ToolboxServer;

/// The name under which a session's tools are served.
pub(crate) const TOOLBOX: &str = "toolbox";
/// The word for serving some tools of another server.
pub(crate) const GATE: &str = "gate";

/// Serves the tools in a session's directory until the agent ends.
///
/// # Errors
/// If there are none, or the agent does not talk as it should.
pub fn serve_toolbox(
    tools: &Path,
    program: PathBuf,
    environment: &Environment,
) -> Result<(), McpError> {
    let manifest = manifest_of(tools).map_err(McpError::Unreadable)?;
    let own = environment.iter();
    let runner = ToolRunner {
        guardian: guardian(program),
        environment: own
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        directory: manifest.directory.clone(),
        marker: Marker::new(variables::ORCHESTRA_RUN, mark(environment)),
        timeout: Duration::from_millis(manifest.timeout_ms),
    };
    let runtime = runtime()?;
    let served = runtime.block_on(serve(ToolboxServer::new(tools, manifest.tools, runner)));
    runtime.shutdown_background();
    served
}

/// Serves those tools of a server in a file that may be used.
///
/// # Errors
/// If the server is not there, or one of both sides does not talk as it should.
pub fn serve_gate(
    file: &Path,
    name: &str,
    program: PathBuf,
    environment: &Environment,
) -> Result<(), McpError> {
    let text = fs::read(file).map_err(McpError::Unreadable)?;
    let servers: Vec<McpServer> =
        serde_json::from_slice(&text).map_err(|error| McpError::Unreadable(error.into()))?;
    let server = servers.into_iter().find(|server| server.name == name);
    let server = server.ok_or_else(|| McpError::NotThere(name.to_owned()))?;
    let values = server.values().iter();
    let secrets: Vec<Secret> = values.map(|(_, value)| Secret::new(value.text())).collect();
    let redactor = Redactor::new(&secrets, [""; 0])
        .map_err(|error| McpError::Unreadable(io::Error::other(error.to_string())))?;
    let own = environment.iter();
    let place = Place {
        guardian: guardian(program),
        environment: own
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        directory: std::env::current_dir().map_err(McpError::Unreadable)?,
        mark: mark(environment),
        redactor,
        followers: Followers::default(),
    };
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let link = link::connect(&server, &place, &Said::default()).await?;
        serve(Gate::new(link, server.clone())).await
    });
    runtime.shutdown_background();
    place.followers.wait();
    served
}

async fn serve(handler: impl ServerHandler) -> Result<(), McpError> {
    let refused = |problem: String| McpError::Refused {
        server: TOOLBOX.to_owned(),
        problem,
        said: String::new(),
    };
    let streams = rmcp::transport::stdio();
    let running = handler.serve(streams).await;
    let running = running.map_err(|error| refused(error.to_string()))?;
    let ended = running.waiting().await;
    ended
        .map(|_| ())
        .map_err(|error| refused(error.to_string()))
}

/// Writes servers to where [`serve_gate`] reads them, for this user alone.
pub(crate) fn write_gates(file: &Path, servers: &[McpServer]) -> io::Result<()> {
    write_private(file, &serde_json::to_vec(servers)?)
}

/// Writes a file that holds secrets.
pub(crate) fn write_private(file: &Path, text: &[u8]) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(text)
}

/// What agents are told of whoever serves them tools.
fn introduction() -> ServerConfig {
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        .with_server_info(Implementation::new("orchestra", env!("CARGO_PKG_VERSION")))
}

fn guardian(program: PathBuf) -> Guardian {
    Guardian {
        program,
        args: vec![GUARDIAN_MODE.into()],
    }
}

/// The mark of the run that it belongs to, where the agent passed it on.
fn mark(environment: &Environment) -> String {
    let run = environment.find(variables::ORCHESTRA_RUN);
    let run = run.and_then(|run| run.to_str()).map(str::to_owned);
    run.unwrap_or_else(|| format!("served:{}", std::process::id()))
}
