//! `orchestra env`: environments in which agents find their servers, and what the agent of a session gets.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use orchestra_core::runtime::OFFERED_MODES;
use orchestra_core::visible_line;
use orchestra_engine::{EnvironmentReport, ShownServer};
use orchestra_server::{agent, time};

use crate::Done;
use crate::commands::sandbox::escapes_line;
use crate::context::Context;
use crate::printer::{BOLD, DIM};
use crate::render::{screen, table::Table};

const LIST_EXAMPLES: &str = "\
Examples:
  orchestra env list
  orchestra config set environments.development.url http://127.0.0.1:7777/";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The environments there are
    #[command(after_help = LIST_EXAMPLES)]
    List,
    /// Exactly what the agent of a session would be started with
    Show(Show),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra env show login
  orchestra env show login --json

Secrets are shown as ***, with the place they come from.")]
pub(crate) struct Show {
    /// Id, unique prefix or name
    session: String,
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::List => list(context),
        Command::Show(arguments) => show(context, arguments),
    }
}

fn list(context: &Context) -> Done {
    let environments = context.engine.environments();
    if context.printer.json {
        let environments = environments.iter().map(agent::environment).collect();
        context
            .printer
            .json(&orchestra_api::EnvironmentList { environments });
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = Table::new(&["NAME", "KIND", "AGENT", "SERVER", "TOKEN", "MODES"]);
    for environment in &environments {
        rows.add(columns(environment));
    }
    context.printer.line(rows.to_string());
    Ok(ExitCode::SUCCESS)
}

fn columns(environment: &EnvironmentReport) -> [String; 6] {
    let settings = &environment.settings;
    let usual = || "the agent's own".to_owned();
    let mark = if environment.is_default {
        " (default)"
    } else {
        ""
    };
    [
        format!("{}{mark}", visible_line(&environment.name)),
        settings.kind.as_str().to_owned(),
        visible_line(&settings.agent),
        settings.url.as_deref().map_or_else(usual, visible_line),
        settings
            .token
            .as_ref()
            .map_or_else(usual, |place| visible_line(&place.to_string())),
        match settings.allowed_modes() {
            Some(modes) => visible_line(&modes.join(", ")),
            None => format!("any, such as {}", OFFERED_MODES.join(", ")),
        },
    ]
}

fn show(context: &Context, arguments: &Show) -> Done {
    let view = context.session(&arguments.session)?;
    let shown = context.engine.show_command(&view.session.id)?;
    if context.printer.json {
        context.printer.json(&agent::command(&shown));
        return Ok(ExitCode::SUCCESS);
    }
    let line = |label: &str, value: &str| {
        let value = visible_line(value);
        context
            .printer
            .line(format!("{BOLD}{label:<12}{BOLD:#} {value}"));
    };
    line("environment", &shown.environment);
    line("command", &shown.command.join(" "));
    line("directory", &screen::path(&shown.directory));
    line("isolation", shown.isolation.as_str());
    if let Some(sandbox) = &shown.sandbox {
        line("held by", &sandbox.layers.join(" and "));
        line("network", &sandbox.network.join(", "));
        for place in &sandbox.writable {
            line("writes", &screen::path(place));
        }
        if let Some(last) = &sandbox.last {
            let tried = time::ago(last.tried_at);
            let stopped = escapes_line(&last.escapes);
            line("last run", &format!("{stopped}, tried {tried}"));
        }
    }
    for directory in &shown.toolboxes {
        line("toolbox", &screen::path(directory));
    }
    for server in &shown.servers {
        line("mcp", &server_line(server));
    }
    context.printer.line("");
    for variable in &shown.variables {
        let (name, value) = (visible_line(&variable.name), visible_line(&variable.value));
        let source = visible_line(&variable.source);
        context
            .printer
            .line(format!("{name}={value}  {DIM}{source}{DIM:#}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn server_line(server: &ShownServer) -> String {
    let values = server.values.iter();
    let values = values.map(|(name, value)| format!("  {name}={value}"));
    let tools = server
        .tools
        .as_ref()
        .map(|tools| format!("  only {}", tools.join(", ")));
    let (name, reach) = (&server.name, server.reach.join(" "));
    let rest: String = values.chain(tools).collect();
    format!("{name}: {reach}{rest}")
}
