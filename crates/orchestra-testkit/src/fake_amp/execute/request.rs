//! Whether the options fit together, and what the message is.

use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use serde_json::Value;

use super::super::build::Build;
use super::super::cli::Invocation;
use super::super::knobs::{self, Knobs};
use super::super::shapes::{Block, McpServer};
use super::super::stream::Format;

/// A checked request.
pub(super) struct Request {
    pub(super) cwd: PathBuf,
    pub(super) format: Format,
    /// The message, unless messages come as JSON lines.
    pub(super) prompt: Option<Vec<Block>>,
    pub(super) mcp_servers: Vec<McpServer>,
}

/// The error is the text after `Error: `.
pub(super) fn check(knobs: &Knobs, invocation: &Invocation) -> Result<Request, String> {
    check_options(invocation)?;
    check_mode(invocation)?;
    let mcp_servers = match invocation.value("--mcp-config") {
        Some(config) => mcp_servers(config)?,
        None => Vec::new(),
    };
    if let Some(path) = invocation.value("--log-file") {
        let line = "{\"level\":\"info\",\"message\":\"Starting Amp CLI.\"}\n";
        std::fs::write(path, line).map_err(|error| format!("cannot write {path}: {error}"))?;
    }
    let reads_now = !invocation.has("--stream-json-input") && knobs.is_signed_in();
    let prompt = if reads_now {
        Some(prompt(invocation)?)
    } else {
        None
    };
    Ok(Request {
        cwd: current_directory()?,
        format: format(invocation),
        prompt,
        mcp_servers,
    })
}

/// Amp changes to `AMP_PWD` when it starts, whoever set it.
fn current_directory() -> Result<PathBuf, String> {
    if let Some(directory) = knobs::inherited_directory() {
        return Ok(directory);
    }
    std::env::current_dir().map_err(|error| format!("cannot find the working directory: {error}"))
}

/// The words of a message.
pub(super) fn prompt_text(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        Block::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn format(invocation: &Invocation) -> Format {
    if invocation.wants_stream() {
        let thinking = invocation.has("--stream-json-thinking");
        Format::Json { thinking }
    } else if invocation.has("--stats") {
        Format::Stats
    } else {
        Format::Plain
    }
}

fn check_options(invocation: &Invocation) -> Result<(), String> {
    let execute = invocation.has("--execute");
    let stream = invocation.wants_stream();
    let input = invocation.has("--stream-json-input");
    if stream && !execute {
        return Err("--stream-json requires --execute".to_owned());
    }
    if input && !(execute && stream) {
        return Err("--stream-json-input requires --execute and --stream-json".to_owned());
    }
    if input && invocation.value("--execute").is_some() {
        return Err("--stream-json-input cannot be used with a message argument".to_owned());
    }
    if stream && invocation.has("--stats") {
        return Err("--stats cannot be used with --stream-json".to_owned());
    }
    if !execute && std::io::stdout().is_terminal() {
        return Err("fake-amp has no interactive mode: use --execute".to_owned());
    }
    Ok(())
}

fn check_mode(invocation: &Invocation) -> Result<(), String> {
    let (build, mode) = (invocation.build, invocation.mode());
    if !build.modes().contains(&mode) {
        let known = build.modes().join(", ");
        return Err(format!("Unknown mode '{mode}'. Available modes: {known}"));
    }
    if build == Build::Jan && mode == "free" {
        return Err("Execute mode is not permitted with --mode 'free'".to_owned());
    }
    if build == Build::Jan && mode != "smart" && invocation.wants_stream() {
        return Err(format!(
            "Stream JSON mode is not permitted with '{mode}' mode."
        ));
    }
    Ok(())
}

fn mcp_servers(config: &str) -> Result<Vec<McpServer>, String> {
    let text = if config.trim_start().starts_with('{') {
        config.to_owned()
    } else {
        std::fs::read_to_string(config)
            .map_err(|error| format!("cannot read MCP config {config}: {error}"))?
    };
    let servers: serde_json::Map<String, Value> =
        serde_json::from_str(&text).map_err(|error| format!("Invalid MCP config: {error}"))?;
    let well_formed = servers.values().all(|server| {
        server
            .get("command")
            .or(server.get("url"))
            .is_some_and(Value::is_string)
    });
    if !well_formed {
        return Err("Invalid MCP config: each server needs a command or a url".to_owned());
    }
    let names = servers.into_iter().map(|(name, _)| name);
    Ok(names
        .map(|name| McpServer {
            name,
            status: "connecting",
        })
        .collect())
}

fn prompt(invocation: &Invocation) -> Result<Vec<Block>, String> {
    let piped = piped_input()?;
    match (invocation.value("--execute"), piped.trim().is_empty()) {
        (Some(message), true) => Ok(vec![Block::text(message)]),
        (Some(message), false) => Ok(vec![
            Block::text(format!("Input received on stdin:\n```\n{piped}\n```")),
            Block::text(message),
        ]),
        (None, false) => Ok(vec![Block::text(piped.trim_end())]),
        (None, true) => {
            Err("User message must be provided through stdin or as an argument".to_owned())
        }
    }
}

fn piped_input() -> Result<String, String> {
    let mut stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(String::new());
    }
    let mut bytes = Vec::new();
    stdin
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read stdin: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
