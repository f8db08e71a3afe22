//! `mcp serve`: Orchestra as an MCP server, for an agent that works with sessions.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use orchestra_core::{Budget, Caller};
use orchestra_engine::{Allowance, Grant, GrantReach, main_checkout_of};

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::mcp_server;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra mcp serve --name claude --sessions 3 --budget 5
  orchestra mcp serve --allow-land --repository ~/src/shop --repository ~/src/site

In the settings of an agent: `claude mcp add orchestra -- orchestra mcp serve --name claude`, or
`amp mcp add orchestra -- orchestra mcp serve --name amp --allow-land`.

Speaks MCP on standard input and output. Whoever calls may look at all sessions of the repositories, and change
those it made itself. What it made and what that cost is counted by its name in the database, so that it holds for
every server with this name, and for the next one. `orchestra session operations` and `log` show what it did.
Agents that it started go on when the server ends.")]
pub(crate) struct Arguments {
    /// A directory in a repository it may work in; can be repeated [default: where you are]
    #[arg(long = "repository", value_name = "DIR")]
    repositories: Vec<PathBuf>,
    /// How many sessions it may have at once that have not landed
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    sessions: u32,
    /// What all its sessions together may cost in dollars, such as 5 or $2.50 [default: no limit of its own]
    #[arg(long, value_name = "AMOUNT", value_parser = dollars)]
    budget: Option<u64>,
    /// It may merge and land sessions
    #[arg(long)]
    allow_land: bool,
    /// It may clean up, discard and forget
    #[arg(long)]
    allow_delete: bool,
    /// It may change sessions that others made
    #[arg(long)]
    all_sessions: bool,
    /// The name under which everything it does is recorded
    #[arg(long, value_name = "CALLER", default_value = "agent", value_parser = Caller::named)]
    name: Caller,
}

fn dollars(text: &str) -> Result<u64, String> {
    let budget: Budget = text
        .parse()
        .map_err(|error: orchestra_core::InvalidBudget| error.to_string())?;
    match budget {
        Budget {
            micro_usd: Some(dollars),
            tokens: None,
        } => Ok(dollars),
        _ => Err("expected dollars, such as 5 or $2.50".to_owned()),
    }
}

pub(crate) fn run(context: &Context, arguments: &Arguments) -> Done {
    let grant = grant(context, arguments)?;
    mcp_server::serve(context, grant)?;
    Ok(ExitCode::SUCCESS)
}

fn grant(context: &Context, arguments: &Arguments) -> Result<Grant, CliError> {
    let allowance = |is_given| match is_given {
        true => Allowance::Granted,
        false => Allowance::Withheld,
    };
    Ok(Grant {
        caller: arguments.name.clone(),
        repositories: repositories(context, &arguments.repositories)?,
        sessions: arguments.sessions,
        micro_usd: arguments.budget,
        landing: allowance(arguments.allow_land),
        deletion: allowance(arguments.allow_delete),
        reach: match arguments.all_sessions {
            true => GrantReach::All,
            false => GrantReach::Own,
        },
        directory: context.directory.clone(),
    })
}

/// The main checkouts, each once.
fn repositories(context: &Context, given: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let here = [PathBuf::from(".")];
    let given = if given.is_empty() { &here[..] } else { given };
    let mut roots = Vec::new();
    for directory in given {
        let directory = context.path(directory);
        let root = main_checkout_of(&directory).ok_or_else(|| {
            CliError::usage(
                format!("{} is in no git repository", directory.display()),
                "name a directory in one with --repository",
            )
        })?;
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    Ok(roots)
}
