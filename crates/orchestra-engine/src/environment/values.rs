//! What placeholders in the settings of a repository stand for, and the variables made of it.

use std::collections::BTreeMap;

use orchestra_config::{DatabaseSettings, variables};
use orchestra_core::{DatabaseKind, PortLease, SessionDatabase, fill_placeholders};

use super::EnvironmentError;

/// What placeholders of one session stand for.
#[derive(Debug, Default)]
pub(super) struct Values {
    by_name: BTreeMap<String, String>,
    variables: BTreeMap<String, String>,
}

impl Values {
    pub(super) fn put(&mut self, name: &str, value: &str) {
        self.by_name.insert(name.to_owned(), value.to_owned());
    }

    pub(super) fn add_ports(&mut self, leases: &[PortLease]) {
        for lease in leases {
            self.put(&format!("port.{}", lease.name), &lease.first.to_string());
            for (number, port) in (1..).zip(lease.ports()) {
                let variable = variables::port_variable(&lease.name, number);
                self.variables.insert(variable, port.to_string());
            }
        }
    }

    pub(super) fn add_databases(
        &mut self,
        databases: &[SessionDatabase],
        settings: &BTreeMap<String, DatabaseSettings>,
    ) -> Result<(), EnvironmentError> {
        for database in databases {
            let url = settings.get(&database.name).and_then(|it| it.url.as_ref());
            let url = self.url_of(database, url)?;
            self.put(&format!("database.{}", database.name), &database.location);
            self.put(&format!("database_url.{}", database.name), &url);
            let place = variables::database_variable(&database.name);
            self.variables.insert(place, database.location.clone());
            let address = variables::database_url_variable(&database.name);
            self.variables.insert(address, url);
        }
        Ok(())
    }

    /// Replaces the placeholders of a text.
    pub(super) fn fill(&self, text: &str) -> Result<String, EnvironmentError> {
        fill_placeholders(text, |placeholder| {
            let name = placeholder.trim_start_matches('{').trim_end_matches('}');
            let value = self
                .by_name
                .get(name)
                .filter(|_| placeholder.ends_with('}'));
            value
                .cloned()
                .ok_or_else(|| EnvironmentError::UnknownPlaceholder {
                    text: text.to_owned(),
                    placeholder: placeholder.to_owned(),
                    known: self
                        .by_name
                        .keys()
                        .map(|name| format!("{{{name}}}"))
                        .collect(),
                })
        })
    }

    pub(super) fn find(&self, name: &str) -> Option<&String> {
        self.by_name.get(name)
    }

    pub(super) fn hostname(&self) -> &str {
        self.by_name.get("hostname").map_or("", String::as_str)
    }

    /// What programs are told, apart from what the settings name.
    pub(super) fn variables(&self) -> BTreeMap<String, String> {
        let mut told = self.variables.clone();
        for (variable, name) in [
            (variables::ORCHESTRA_HOSTNAME, "hostname"),
            (variables::ORCHESTRA_CACHE_DIR, "cache"),
            (variables::COMPOSE_PROJECT_NAME, "compose_project"),
        ] {
            if let Some(value) = self.by_name.get(name) {
                told.insert(variable.to_owned(), value.clone());
            }
        }
        told
    }

    fn url_of(
        &self,
        database: &SessionDatabase,
        url: Option<&String>,
    ) -> Result<String, EnvironmentError> {
        let location = &database.location;
        match url {
            Some(text) => {
                let mut values = self.by_name.clone();
                values.insert("location".to_owned(), location.clone());
                let with_location = Self {
                    by_name: values,
                    variables: BTreeMap::new(),
                };
                with_location.fill(text)
            }
            None => Ok(match database.kind {
                DatabaseKind::Sqlite => format!("sqlite://{location}"),
                DatabaseKind::Postgresql => format!("postgresql:///{location}"),
                DatabaseKind::Mysql => format!("mysql://localhost/{location}"),
            }),
        }
    }
}
