//! `config`: show and change settings.

use std::process::ExitCode;

use clap::Subcommand;
use orchestra_api::{Setting, SettingsList};
use orchestra_config::{SettingsFile, Value, set, unset};
use orchestra_core::visible;
use orchestra_engine::EngineError;

use crate::Done;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::DIM;
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

pub(crate) fn run(context: &Context, command: &Command) -> Done {
    match command {
        Command::List => list(context),
        Command::Get { key } => get(context, key)?,
        Command::Set { key, value, repo } => {
            set(&file(context, *repo)?, key, value).map_err(EngineError::from)?;
            warn_unused(context, key)?;
        }
        Command::Unset { key, repo } => {
            if !unset(&file(context, *repo)?, key).map_err(EngineError::from)? {
                context.printer.note(format!("{key} is not set there"));
            }
        }
        Command::Path => path(context)?,
        Command::Schema => context.printer.json(&orchestra_config::schema()),
    }
    Ok(ExitCode::SUCCESS)
}

fn list(context: &Context) {
    let resolved = context.engine.settings();
    if context.printer.json {
        context.printer.json(&SettingsList {
            settings: resolved.values.iter().map(wire).collect(),
            warnings: resolved.warnings.iter().map(ToString::to_string).collect(),
        });
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
        context.printer.json(&wire(&value));
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

/// A setting that does nothing yet is accepted, and nobody should wonder why.
fn warn_unused(context: &Context, key: &str) -> Result<(), CliError> {
    let value = context.engine.settings().require(key);
    if !value.map_err(EngineError::from)?.is_used {
        context.printer.warn(format!(
            "{key} is kept, but this version does not use it yet"
        ));
    }
    Ok(())
}

fn path(context: &Context) -> Result<(), CliError> {
    let user = SettingsFile::of_user(context.engine.environment()).map_err(EngineError::from)?;
    let repository = context.root.as_deref().map(SettingsFile::of_repository);
    if context.printer.json {
        context.printer.json(&serde_json::json!({
            "user": user.path(),
            "repository": repository.as_ref().map(SettingsFile::path),
        }));
    } else {
        context
            .printer
            .line(format!("user        {}", screen::path(user.path())));
        if let Some(repository) = repository {
            context
                .printer
                .line(format!("repository  {}", screen::path(repository.path())));
        }
    }
    Ok(())
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

fn wire(value: &Value) -> Setting {
    Setting {
        key: value.key.clone(),
        value: value.value.clone(),
        origin: value.origin.to_string(),
        description: value.description,
        is_used: value.is_used,
    }
}
