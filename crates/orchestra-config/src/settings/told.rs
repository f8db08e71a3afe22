//! The variables that everything in a session is told, each with what sets it. Of two that set the same one, programs would
//! hear one and never know which; an address that two sessions share would bring them together. Neither is taken.

use std::collections::BTreeMap;

use super::Settings;
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

/// Refuses an address of a database that two sessions could share.
pub(crate) fn require_own_addresses(settings: &Settings) -> Result<(), ConfigError> {
    let shared = settings.databases.iter().find(|(_, it)| !it.has_own_url());
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
    let port = settings.main_port();
    let port = port.map(|name| (variables::PORT.to_owned(), format!("`ports.{name}`")));
    let url = settings.main_database();
    let url = url.map(|name| {
        let variable = variables::DATABASE_URL.to_owned();
        (variable, format!("`databases.{name}`"))
    });
    port.into_iter().chain(url).collect()
}

impl Settings {
    /// The block whose first port programs find as `PORT`: the one called `web`, or the only one.
    #[must_use]
    pub fn main_port(&self) -> Option<&str> {
        let web = self.ports.get_key_value("web");
        let name = web.map(|(name, _)| name);
        name.or_else(|| only_name(&self.ports)).map(String::as_str)
    }

    /// The database whose address programs find as `DATABASE_URL`: the only one.
    #[must_use]
    pub fn main_database(&self) -> Option<&str> {
        only_name(&self.databases).map(String::as_str)
    }
}

fn only_name<T>(named: &BTreeMap<String, T>) -> Option<&String> {
    let first = named.keys().next();
    first.filter(|_| named.len() == 1)
}
