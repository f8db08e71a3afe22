//! The variables that everything in a session is told, each with what sets it. Of two that set the same one, programs would
//! hear one and never know which; an address that all sessions share would bring them together. Neither is taken.

use std::collections::BTreeMap;
use std::path::Path;

use orchestra_core::DatabaseKind;

use super::{DatabaseSettings, Settings};
use crate::error::ConfigError;
use crate::variables::{self, database_url_variable, database_variable, port_variable};

/// Variables that Orchestra sets whatever the settings say.
const ALWAYS: &[&str] = &[
    variables::COMPOSE_PROJECT_NAME,
    variables::ORCHESTRA_BASE,
    variables::ORCHESTRA_BRANCH,
    variables::ORCHESTRA_CACHE_DIR,
    variables::ORCHESTRA_DATABASE,
    variables::ORCHESTRA_HOSTNAME,
    variables::ORCHESTRA_LOCATION,
    variables::ORCHESTRA_REPOSITORY,
    variables::ORCHESTRA_RUN,
    variables::ORCHESTRA_SESSION,
];

/// Placeholders whose values no two sessions share, or their beginnings.
const APART: &[&str] = &[
    "{branch}",
    "{cache}",
    "{compose_project}",
    "{database.",
    "{database_url.",
    "{id}",
    "{issue}",
    "{location}",
    "{port.",
    "{slug}",
    "{worktree}",
];

/// Refuses settings of which two set the same variable.
pub(crate) fn require_distinct(settings: &Settings) -> Result<(), ConfigError> {
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    for (variable, source) in told_by(settings) {
        if let Some(first) = told.get(&variable) {
            return Err(ConfigError::Clash {
                first: first.clone(),
                second: source,
                variable,
            });
        }
        told.insert(variable, source);
    }
    Ok(())
}

/// Refuses an address of a database that is the same for every session.
pub(crate) fn require_own_addresses(settings: &Settings) -> Result<(), ConfigError> {
    let shared = settings.databases.iter().find(|(_, it)| has_shared_url(it));
    match shared {
        Some((name, _)) => Err(ConfigError::SharedAddress {
            key: format!("databases.{name}.url"),
        }),
        None => Ok(()),
    }
}

/// Every variable with the setting it comes from, in words.
fn told_by(settings: &Settings) -> Vec<(String, String)> {
    let always = ALWAYS.iter().map(|name| (*name, "Orchestra itself"));
    let mut told: Vec<(String, String)> = always
        .map(|(name, source)| (name.to_owned(), source.to_owned()))
        .collect();
    for (name, count) in &settings.ports {
        let variables = (1..=*count).map(|number| port_variable(name, number));
        told.extend(variables.map(|variable| (variable, format!("`ports.{name}`"))));
    }
    for name in settings.databases.keys() {
        let variables = [database_variable(name), database_url_variable(name)];
        told.extend(variables.map(|variable| (variable, format!("`databases.{name}`"))));
    }
    told.extend(usual_names(settings));
    let chosen = settings.worktree.variables.keys();
    told.extend(chosen.map(|name| (name.clone(), format!("`worktree.variables.{name}`"))));
    told
}

/// The names that programs look for without knowing of Orchestra.
fn usual_names(settings: &Settings) -> Vec<(String, String)> {
    let web = settings.ports.get_key_value("web");
    let port = web.or(settings
        .ports
        .first_key_value()
        .filter(|_| settings.ports.len() == 1));
    let port = port.map(|(name, _)| ("PORT".to_owned(), format!("`ports.{name}`")));
    let only = settings.databases.first_key_value();
    let only = only.filter(|_| settings.databases.len() == 1);
    let url = only.map(|(name, _)| ("DATABASE_URL".to_owned(), format!("`databases.{name}`")));
    port.into_iter().chain(url).collect()
}

/// A file below the worktree may have an address that begins there.
fn has_shared_url(database: &DatabaseSettings) -> bool {
    let Some(url) = &database.url else {
        return false;
    };
    let location = database.location.as_deref();
    let is_in_worktree = database.kind == DatabaseKind::Sqlite
        && location.is_some_and(|location| Path::new(location).is_relative());
    !is_in_worktree && !APART.iter().any(|placeholder| url.contains(placeholder))
}
