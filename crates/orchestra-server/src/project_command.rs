//! Commands of a repository's settings: which there are, and which of them the user allows.

use std::path::Path;

use orchestra_core::RepositoryId;
use orchestra_engine::{CommandError, Engine, EngineError, Permission, ProjectCommand};

/// Which commands are meant.
#[derive(Debug, Clone, Copy)]
pub enum Chosen<'a> {
    /// All of the repository's own settings file.
    All,
    /// Those of these settings.
    Of(&'a [String]),
}

/// What was changed, and what could not be.
#[derive(Debug, Clone)]
pub struct Change {
    /// The settings that name the commands.
    pub settings: Vec<String>,
    /// What could not be changed, and why.
    pub problems: Vec<String>,
}

/// Every command, those that were allowed and that nothing names any more included.
pub fn list(engine: &Engine, root: &Path) -> Result<Vec<ProjectCommand>, EngineError> {
    let mut commands = every(engine, root)?;
    if let Some(repository) = recorded(engine, root)? {
        commands.extend(engine.unset_commands(repository, &commands)?);
    }
    Ok(commands)
}

/// Allows commands of the repository's own settings file.
pub fn allow(engine: &Engine, root: &Path, chosen: Chosen<'_>) -> Result<Change, EngineError> {
    let commands = chosen_of(engine, root, chosen)?.into_iter();
    let not_allowed: Vec<_> = commands.filter(|it| !it.is_allowed()).collect();
    let (allowable, problems) = match chosen {
        Chosen::All => without_secrets(engine, not_allowed),
        Chosen::Of(_) => (not_allowed, Vec::new()),
    };
    engine.allow_commands(root, &allowable)?;
    Ok(Change {
        settings: allowable.into_iter().map(|it| it.setting).collect(),
        problems,
    })
}

/// Takes back what was allowed, whether or not it is still set.
pub fn forget(engine: &Engine, root: &Path, chosen: Chosen<'_>) -> Result<Change, EngineError> {
    let repository = recorded(engine, root)?;
    let kept = match repository {
        Some(repository) => engine.unset_commands(repository, &[])?,
        None => Vec::new(),
    };
    if let Chosen::Of(settings) = chosen {
        // A setting that left the file still has its permission; only another name can be a mistake.
        for setting in settings {
            if !kept.iter().any(|it| it.setting == *setting) {
                named(engine, &every(engine, root)?, setting)?;
            }
        }
    }
    let settings = match (repository, chosen) {
        (Some(repository), Chosen::All) => engine.forget_every_command(repository)?,
        (Some(repository), Chosen::Of(settings)) => engine.forget_commands(repository, settings)?,
        (None, _) => Vec::new(),
    };
    Ok(Change {
        settings,
        problems: Vec::new(),
    })
}

/// Those that can be allowed, and why the others cannot. If all of them are others, they stay together and are refused.
fn without_secrets(
    engine: &Engine,
    commands: Vec<ProjectCommand>,
) -> (Vec<ProjectCommand>, Vec<String>) {
    let has_none = |it: &ProjectCommand| engine.secret_in(it).is_none();
    if !commands.iter().any(has_none) {
        return (commands, Vec::new());
    }
    let (allowable, others): (Vec<_>, Vec<_>) = commands.into_iter().partition(has_none);
    let problems = others.iter().filter_map(|it| engine.secret_in(it));
    let problems = problems.map(|error| format!("{error}: {}", error.hint()));
    let problems = problems.collect();
    (allowable, problems)
}

/// The commands that are meant: all of the repository's own file, or those that are named.
fn chosen_of(
    engine: &Engine,
    root: &Path,
    chosen: Chosen<'_>,
) -> Result<Vec<ProjectCommand>, EngineError> {
    let every = every(engine, root)?;
    match chosen {
        Chosen::All => {
            let of_repository = |it: &ProjectCommand| it.permission != Permission::Own;
            Ok(every.into_iter().filter(of_repository).collect())
        }
        Chosen::Of(settings) => {
            let settings = settings.iter();
            settings
                .map(|setting| named(engine, &every, setting))
                .collect()
        }
    }
}

fn named(
    engine: &Engine,
    every: &[ProjectCommand],
    setting: &str,
) -> Result<ProjectCommand, EngineError> {
    let found = match every.iter().find(|it| it.setting == setting) {
        Some(found) => Some(found.clone()),
        None => engine.project_command(None, setting)?,
    };
    let not_set = || CommandError::NotSet {
        setting: setting.to_owned(),
    };
    found.ok_or_else(|| EngineError::from(not_set()))
}

/// The commands of the settings, and the scripts of the repository's templates.
fn every(engine: &Engine, root: &Path) -> Result<Vec<ProjectCommand>, EngineError> {
    let repository = recorded(engine, root)?;
    let mut commands = engine.project_commands(repository)?;
    commands.extend(engine.template_scripts(repository, root)?);
    Ok(commands)
}

/// A repository is recorded with its first session, or with the first command that is allowed in it.
fn recorded(engine: &Engine, root: &Path) -> Result<Option<RepositoryId>, EngineError> {
    Ok(engine.known_repository(root)?.map(|known| known.id))
}
