//! `config`: show and change settings.

use std::process::ExitCode;

use clap::Subcommand;
use orchestra_api::{Setting, SettingsList};
use orchestra_config::{Environment, Origin, SettingsFile, Value, set, unset};
use orchestra_core::{PermissionPolicy, visible, visible_line};
use orchestra_engine::{EngineError, main_checkout_of};

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
            context.require_settable(key, value)?;
            set(&file, key, value).map_err(EngineError::from)?;
            report(&context, key, Some(&file))?;
        }
        Command::Unset { key, repo } => {
            let context = open()?;
            if !unset(&file(&context, *repo)?, key).map_err(EngineError::from)? {
                context.printer.note(format!("{key} is not set there"));
            }
            report(&context, key, None)?;
        }
        Command::Path => path(printer)?,
        Command::Schema => printer.json(&orchestra_config::schema()),
    }
    Ok(ExitCode::SUCCESS)
}

fn path(printer: &Printer) -> Result<(), CliError> {
    let user = SettingsFile::of_user(&Environment::of_process()).map_err(EngineError::from)?;
    let root = main_checkout_of(&current_directory()?);
    let repository = root.as_deref().map(SettingsFile::of_repository);
    if printer.json {
        printer.json(&serde_json::json!({
            "user": user.path(),
            "repository": repository.as_ref().map(SettingsFile::path),
        }));
        return Ok(());
    }
    printer.line(format!("user        {}", screen::path(user.path())));
    if let Some(repository) = repository {
        let place = screen::path(repository.path());
        printer.line(format!("repository  {place}"));
    }
    Ok(())
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

/// Says what is in force now, which need not be what was just set in a file: another layer may come before it, and a setting
/// that does nothing yet is accepted.
fn report(context: &Context, key: &str, set_in: Option<&SettingsFile>) -> Result<(), CliError> {
    let resolved = context.reloaded_settings()?;
    let policy = resolved.settings.agents.permissions;
    let value = resolved.require(key).map_err(EngineError::from)?;
    if let Some(file) = set_in {
        if key == "agents.rules" && policy == PermissionPolicy::Allow {
            context.printer.warn(
                "agents.permissions is `allow`, which asks no rule; \
                 `orchestra config set agents.permissions ask` (or `rules`) lets them decide",
            );
        }
        if !is_from(&value.origin, file) {
            context.printer.warn(format!(
                "it is set in {}, but what the {} says comes first",
                screen::path(file.path()),
                value.origin
            ));
        }
        if !value.is_used {
            context.printer.warn(format!(
                "{key} is kept, but this version does not use it yet"
            ));
        }
    }
    if context.printer.json {
        context.printer.json(&wire(&value));
    } else {
        let shown = value.toml.as_deref().map_or("not set".to_owned(), |toml| {
            format!("= {}", visible_line(toml.trim()))
        });
        let origin = visible_line(&value.origin.to_string());
        context.printer.line(format!("{key} {shown} ({origin})"));
    }
    Ok(())
}

fn is_from(origin: &Origin, file: &SettingsFile) -> bool {
    match origin {
        Origin::User(path) | Origin::Repository(path) => path == file.path(),
        Origin::Default | Origin::Environment(_) | Origin::Flag => false,
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

fn wire(value: &Value) -> Setting {
    Setting {
        key: value.key.clone(),
        value: value.value.clone(),
        origin: value.origin.to_string(),
        description: value.description,
        is_used: value.is_used,
    }
}
