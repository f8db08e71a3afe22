//! Settings: what is in force, and changing a file so that it can still be read.

use std::path::Path;

use orchestra_api::{Setting, SettingChanged, SettingsFiles, SettingsList};
use orchestra_config::{
    Environment, Origin, SettingsFile, Sources, Value, load, unset_checked, value_in,
};
use orchestra_core::{PermissionPolicy, visible_line};
use orchestra_engine::{Engine, EngineError};

/// A setting after a file was changed.
#[derive(Debug, Clone)]
pub struct Changed {
    /// What is in force now.
    pub value: Value,
    /// Whether the file changed.
    pub was_changed: bool,
    /// What the file itself said before.
    pub former: Option<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Every setting in force.
pub fn list(engine: &Engine) -> SettingsList {
    let resolved = engine.settings();
    SettingsList {
        settings: resolved.values.iter().map(setting).collect(),
        warnings: resolved.warnings.iter().map(ToString::to_string).collect(),
    }
}

/// Where the files are.
pub fn files(environment: &Environment, root: Option<&Path>) -> Result<SettingsFiles, EngineError> {
    let user = SettingsFile::of_user(environment)?;
    let repository = root.map(SettingsFile::of_repository);
    Ok(SettingsFiles {
        user: user.path().to_owned(),
        repository: repository.map(|file| file.path().to_owned()),
    })
}

/// Puts a value into a file, unless the settings could not be read then.
pub fn set(
    engine: &Engine,
    file: &SettingsFile,
    key: &str,
    value: &str,
) -> Result<Changed, EngineError> {
    let mut tried = engine.settings_sources();
    tried.flags.push((key.to_owned(), value.to_owned()));
    load(&tried)?;
    let former = value_in(file, key)?;
    orchestra_config::set(file, key, value)?;
    let resolved = load(&engine.settings_sources())?;
    let value = resolved.require(key)?;
    let policy = resolved.settings.agents.permissions;
    Ok(Changed {
        warnings: warnings(&value, file, policy),
        value,
        was_changed: true,
        former,
    })
}

/// Takes a value out of a file, unless the settings could not be read then.
pub fn unset(engine: &Engine, file: &SettingsFile, key: &str) -> Result<Changed, EngineError> {
    let sources: Sources = engine.settings_sources();
    let former = value_in(file, key)?;
    let was_changed = unset_checked(file, key, || load(&sources).map(drop))?;
    Ok(Changed {
        value: load(&sources)?.require(key)?,
        was_changed,
        former,
        warnings: Vec::new(),
    })
}

/// What is set need not be in force: another layer may come before it, and a setting that does nothing yet is accepted.
fn warnings(value: &Value, file: &SettingsFile, policy: PermissionPolicy) -> Vec<String> {
    let key = &value.key;
    let mut warnings = Vec::new();
    if key == "agents.rules" && policy == PermissionPolicy::Allow {
        warnings.push(
            "agents.permissions is `allow`, which asks no rule; \
             `orchestra config set agents.permissions ask` (or `rules`) lets them decide"
                .to_owned(),
        );
    }
    if !is_from(&value.origin, file) {
        warnings.push(format!(
            "it is set in {}, but what the {} says comes first",
            visible_line(&file.path().display().to_string()),
            value.origin
        ));
    }
    if !value.is_used {
        warnings.push(format!(
            "{key} is kept, but this version does not use it yet"
        ));
    }
    warnings
}

fn is_from(origin: &Origin, file: &SettingsFile) -> bool {
    match origin {
        Origin::User(path) | Origin::Repository(path) => path == file.path(),
        Origin::Default | Origin::Environment(_) | Origin::Flag => false,
    }
}

pub fn setting(value: &Value) -> Setting {
    Setting {
        key: value.key.clone(),
        value: value.value.clone(),
        origin: value.origin.to_string(),
        description: value.description,
        is_used: value.is_used,
    }
}

impl From<Changed> for SettingChanged {
    fn from(changed: Changed) -> Self {
        Self {
            setting: setting(&changed.value),
            was_changed: changed.was_changed,
            former: changed.former,
            warnings: changed.warnings,
        }
    }
}
