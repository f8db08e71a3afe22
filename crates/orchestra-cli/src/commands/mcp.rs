//! `orchestra mcp`: the MCP servers of the settings, whether they answer, and Orchestra as one.

mod serve;

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use orchestra_config::McpReach;
use orchestra_config::quantity::parse_duration;
use orchestra_core::visible_line;
use orchestra_engine::McpReport;
use orchestra_server::agent;

use crate::Done;
use crate::context::Context;
use crate::render::table::Table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The MCP servers that the settings describe, or those of a session
    List(List),
    /// Connect to a server and list its tools
    Check(Check),
    /// Be an MCP server: let an agent create, watch, review and land sessions
    Serve(serve::Arguments),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra mcp list
  orchestra mcp list --session login
  orchestra config set mcp.issues.command \"npx -y issue-server\"
  orchestra config set mcp.search.url https://search.example/mcp
  orchestra config set mcp.search.auth keyring:search/me
  orchestra config set runtime.mcp issues,search")]
pub(crate) struct List {
    /// Those of a session: id, unique prefix or name
    #[arg(long)]
    session: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra mcp check issues
  orchestra mcp check search --timeout 10s --json

Tools that mcp.<name>.tools does not name are listed too, as not allowed. One that it names and the server does not
have is told, and the exit code is 1.")]
pub(crate) struct Check {
    /// The server's name
    server: String,
    /// How long it may take [default: 60s]
    #[arg(long, value_parser = duration)]
    timeout: Option<Duration>,
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "write it as 500ms, 10s or 2m".to_owned())
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::List(arguments) => list(context, arguments),
        Command::Check(arguments) => check(context, arguments),
        Command::Serve(arguments) => serve::run(context, arguments),
    }
}

fn list(context: &Context, arguments: &List) -> Done {
    match &arguments.session {
        None => Ok(show(context, &context.engine.mcp_servers())),
        Some(session) => context.in_session(session, |context, view| {
            let servers = context.engine.mcp_servers_of(&view.session)?;
            Ok(show(context, &servers))
        }),
    }
}

fn show(context: &Context, servers: &[McpReport]) -> ExitCode {
    let printer = &context.printer;
    if printer.json {
        let servers = servers.iter().map(agent::mcp_server).collect();
        printer.json(&orchestra_api::McpServerList { servers });
        return ExitCode::SUCCESS;
    }
    if servers.is_empty() {
        printer.line("no MCP servers");
        return ExitCode::SUCCESS;
    }
    let mut rows = Table::new(&["NAME", "REACHED BY", "WITH", "TOOLS"]);
    for server in servers {
        rows.add(columns(server));
    }
    printer.line(rows.to_string());
    ExitCode::SUCCESS
}

fn columns(server: &McpReport) -> [String; 4] {
    let mark = if server.is_default { " (default)" } else { "" };
    let reach = match &server.settings.reached {
        Some(McpReach::Program { command, .. }) => command.join(" "),
        Some(McpReach::Address { url, .. }) => url.clone(),
        None => "nothing: set its command or url".to_owned(),
    };
    let values = agent::mcp_values(server);
    let values = values.iter().map(|it| format!("{}={}", it.name, it.value));
    let tools = server.settings.tools.as_ref();
    [
        format!("{}{mark}", visible_line(&server.name)),
        visible_line(&reach),
        visible_line(&values.collect::<Vec<_>>().join(" ")),
        tools.map_or_else(|| "all".to_owned(), |it| visible_line(&it.join(", "))),
    ]
}

fn check(context: &Context, arguments: &Check) -> Done {
    let server = &arguments.server;
    let checked = context.engine.check_mcp(server, arguments.timeout)?;
    let code = match checked.missing.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    };
    let printer = &context.printer;
    if printer.json {
        printer.json(&agent::mcp_tools(server, &checked));
        return Ok(code);
    }
    let mut rows = Table::new(&["TOOL", "ALLOWED", "WHAT IT DOES"]);
    for tool in &checked.tools {
        let first = tool.description.lines().next().unwrap_or_default();
        let allowed = if tool.is_allowed { "yes" } else { "no" };
        rows.add([
            visible_line(&tool.name),
            allowed.to_owned(),
            visible_line(first),
        ]);
    }
    match checked.tools.is_empty() {
        true => printer.line("it answers, and has no tools"),
        false => printer.line(rows.to_string()),
    }
    for name in &checked.missing {
        let name = visible_line(name);
        printer.warn(format!(
            "mcp.{server}.tools allows `{name}`, which it does not have"
        ));
    }
    Ok(code)
}
