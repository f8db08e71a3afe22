//! `config`: show and change settings.

use std::process::ExitCode;

use clap::Subcommand;
use orchestra_config::{Environment, SettingsFile};
use orchestra_core::{visible, visible_line};
use orchestra_engine::{EngineError, main_checkout_of};
use orchestra_server::settings::{self, Changed};

use crate::Done;
use crate::context::{Context, current_directory};
use crate::error::CliError;
use crate::printer::{DIM, Printer};
use crate::render::{screen, table::Table};

#[derive(Debug, Subcommand)]
#[command(
    after_help = "Examples:\n  config list\n  config get git.commit_prefix\n  config set core.max_concurrent_sessions 4\n  config set scripts.test \"npm test\" --repo"
)]
pub(crate) enum Command {
    /// Every setting with its value and where it comes from
    List,
    /// One setting
    Get {
        /// Such as git.commit_prefix
        key: String,
    },
    /// Change a setting
    Set {
        /// Such as git.commit_prefix
        key: String,
        /// The new value
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// In this repository's file instead of yours
        #[arg(long)]
        repo: bool,
    },
    /// Take a setting out of the file, so that the default applies
    Unset {
        /// Such as git.commit_prefix
        key: String,
        /// In this repository's file instead of yours
        #[arg(long)]
        repo: bool,
    },
    /// The settings files
    Path,
    /// The JSON Schema of the settings files
    Schema,
}

/// Where the files are has to be told above all when one of them cannot be read, so not every command opens them.
pub(crate) fn run(
    printer: &Printer,
    command: &Command,
    open: impl FnOnce() -> Result<Context, CliError>,
) -> Done {
    match command {
        Command::List => list(&open()?),
        Command::Get { key } => get(&open()?, key)?,
        Command::Set { key, value, repo } => {
            let context = open()?;
            let file = file(&context, *repo)?;
            report(
                &context,
                &settings::set(&context.engine, &file, key, value)?,
            );
        }
        Command::Unset { key, repo } => {
            let context = open()?;
            let file = file(&context, *repo)?;
            let changed = settings::unset(&context.engine, &file, key)?;
            if !changed.was_changed {
                context.printer.note(format!("{key} is not set there"));
            }
            report(&context, &changed);
        }
        Command::Path => path(printer)?,
        Command::Schema => printer.json(&orchestra_config::schema()),
    }
    Ok(ExitCode::SUCCESS)
}

fn path(printer: &Printer) -> Result<(), CliError> {
    let root = main_checkout_of(&current_directory()?);
    let files = settings::files(&Environment::of_process(), root.as_deref())?;
    if printer.json {
        printer.json(&files);
        return Ok(());
    }
    printer.line(format!("user        {}", screen::path(&files.user)));
    if let Some(repository) = &files.repository {
        let place = screen::path(repository);
        printer.line(format!("repository  {place}"));
    }
    Ok(())
}

fn list(context: &Context) {
    let resolved = context.engine.settings();
    if context.printer.json {
        context.printer.json(&settings::list(&context.engine));
        return;
    }
    let mut table = Table::new(&["SETTING", "VALUE", "FROM"]);
    for value in &resolved.values {
        table.add([
            value.key.clone(),
            value.value.clone().unwrap_or_default(),
            if value.is_used {
                value.origin.to_string()
            } else {
                format!("{} (not used yet)", value.origin)
            },
        ]);
    }
    context.printer.line(table);
}

fn get(context: &Context, key: &str) -> Result<(), CliError> {
    let value = context
        .engine
        .settings()
        .require(key)
        .map_err(EngineError::from)?;
    if context.printer.json {
        context.printer.json(&settings::setting(&value));
    } else {
        context
            .printer
            .line(visible(value.value.as_deref().unwrap_or_default()));
        context.printer.note(format!(
            "{DIM}from {}: {}{DIM:#}",
            value.origin, value.description
        ));
    }
    Ok(())
}

/// Says what is in force now, which need not be what was just set in a file.
fn report(context: &Context, changed: &Changed) {
    for warning in &changed.warnings {
        context.printer.warn(warning);
    }
    let value = &changed.value;
    if context.printer.json {
        context.printer.json(&settings::setting(value));
    } else {
        let shown = value.toml.as_deref().map_or("not set".to_owned(), |toml| {
            format!("= {}", visible_line(toml.trim()))
        });
        let (key, origin) = (&value.key, visible_line(&value.origin.to_string()));
        context.printer.line(format!("{key} {shown} ({origin})"));
    }
}

fn file(context: &Context, repo: bool) -> Result<SettingsFile, CliError> {
    match (repo, &context.root) {
        (false, _) => {
            Ok(SettingsFile::of_user(context.engine.environment()).map_err(EngineError::from)?)
        }
        (true, Some(root)) => Ok(SettingsFile::of_repository(root)),
        (true, None) => Err(CliError::usage(
            "you are not in a git repository",
            "go into one, or leave --repo out",
        )),
    }
}
