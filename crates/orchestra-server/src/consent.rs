//! Commands of a repository's own files, which run only once their text was allowed.

use std::path::Path;

use orchestra_core::Repository;
use orchestra_engine::{CommandError, Engine, EngineError, Permission, ProjectCommand};

use crate::error::ApiError;

/// Allows those that are not allowed yet, because the request says so.
pub(crate) fn allow(
    engine: &Engine,
    root: &Path,
    commands: Vec<ProjectCommand>,
) -> Result<(), ApiError> {
    let new: Vec<_> = commands.into_iter().filter(|it| !it.is_allowed()).collect();
    if !new.is_empty() {
        engine.allow_commands(root, &new)?;
    }
    Ok(())
}

/// The command of a setting, if there is one. It is allowed if the request says so, and recorded when it runs.
pub(crate) fn command(
    engine: &Engine,
    repository: &Repository,
    setting: &str,
    allow_commands: bool,
) -> Result<Option<ProjectCommand>, ApiError> {
    let Some(found) = engine.project_command(Some(repository.id), setting)? else {
        return Ok(None);
    };
    if found.is_allowed() || !allow_commands {
        return Ok(Some(found));
    }
    engine.consent_to(repository.id, std::slice::from_ref(&found))?;
    Ok(Some(ProjectCommand {
        permission: Permission::Allowed,
        ..found
    }))
}

/// The command of a setting that somebody asked for by name, so it has to be there and may run.
pub(crate) fn require_command(
    engine: &Engine,
    repository: &Repository,
    setting: &str,
    allow_commands: bool,
) -> Result<ProjectCommand, ApiError> {
    let refused = match command(engine, repository, setting, allow_commands)? {
        Some(command) if command.is_allowed() => return Ok(command),
        Some(command) => CommandError::NotAllowed {
            setting: command.setting,
            command: engine.redact(&command.command),
        },
        None => CommandError::NotSet {
            setting: setting.to_owned(),
        },
    };
    Err(EngineError::from(refused).into())
}
