//! `slash`: the slash commands there are, and what a text for a session asks for.

mod built_in;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use orchestra_engine::{SessionView, SlashMeaning, StoredSlash};
use orchestra_server::slash;

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::render::screen;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The slash commands there are
    List(List),
    /// How a slash command is used
    Show(Show),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra slash list
  orchestra slash list --session login --json
  orchestra session iterate login \"/help\"        the same")]
pub(crate) struct List {
    /// Those of a session's repository: id, unique prefix or name [default: of the repository you are in]
    #[arg(long)]
    session: Option<String>,
    /// Only the names, one per line, as shells complete them
    #[arg(long)]
    names: bool,
    /// With --names: only what goes on from this beginning of a text, parameters included
    #[arg(long, value_name = "TEXT", requires = "names", hide = true)]
    begin: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  orchestra slash show squash
  orchestra session iterate login \"/help squash\"        the same")]
pub(crate) struct Show {
    /// Its name, with or without the slash
    name: String,
    /// Of a session's repository: id, unique prefix or name [default: the repository you are in]
    #[arg(long)]
    session: Option<String>,
}

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::List(arguments) => {
            let root = root(context, arguments.session.as_deref())?;
            let listing = context.engine.slash_commands(root.as_deref())?;
            match arguments.names && !context.printer.json {
                true => show::names(context, &listing, arguments.begin.as_deref()),
                false => show::list(context, &listing)?,
            }
        }
        Command::Show(arguments) => {
            let root = root(context, arguments.session.as_deref())?;
            let found = slash::find(&context.engine, &arguments.name, root.as_deref())?;
            show::one(context, &found);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The main checkout whose slash commands are meant.
fn root(context: &Context, session: Option<&str>) -> Result<Option<PathBuf>, CliError> {
    match session {
        Some(text) => Ok(Some(context.session(text)?.repository.root)),
        None => Ok(context.root.clone()),
    }
}

/// What became of a text for a session.
pub(crate) enum Heard {
    /// It is for the agent.
    Text(String),
    /// It was a command, which has been run.
    Ran(ExitCode),
}

/// Does what a text for a session asks for, unless it is for the agent.
pub(crate) fn hear(context: &Context, view: &SessionView, text: &str) -> Result<Heard, CliError> {
    let root = &view.repository.root;
    Ok(match context.engine.slash_meaning(text, Some(root))? {
        SlashMeaning::Text(text) => Heard::Text(text),
        SlashMeaning::Written { command, text } => {
            tell(context, &command);
            Heard::Text(text)
        }
        SlashMeaning::BuiltIn(command, words) => {
            Heard::Ran(built_in::run(context, view, command, &words)?)
        }
    })
}

/// The prompt that a text for a session that is not there yet stands for.
pub(crate) fn prompt(context: &Context, text: &str) -> Result<String, CliError> {
    let root = context.root.as_deref();
    match context.engine.slash_meaning(text, root)? {
        SlashMeaning::Text(text) => Ok(text),
        SlashMeaning::Written { command, text } => {
            tell(context, &command);
            Ok(text)
        }
        SlashMeaning::BuiltIn(command, _) => {
            let name = command.name();
            Err(CliError::usage(
                format!("/{name} is for a session that is there"),
                format!(
                    "say it with `iterate`; a prompt that begins with a slash is written //{name}"
                ),
            ))
        }
    }
}

fn tell(context: &Context, stored: &StoredSlash) {
    let file = screen::path(&stored.file);
    let name = &stored.command.name;
    context
        .printer
        .note(format!("/{name} is the prompt in {file}"));
}
