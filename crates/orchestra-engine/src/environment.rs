//! What a session has for itself beside its worktree: ports, databases, a host name, a cache. Whoever needs it first leases
//! it; a session that is cleaned up or put away loses its ports in the same transaction, so nothing is left to be freed.

mod cache;
mod databases;
mod drop;
mod error;
mod ports;
mod servers;
mod strangers;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use orchestra_config::{DatabaseSettings, child_env, variables};
use orchestra_core::{
    DatabaseKind, DatabaseState, PortLease, Session, SessionDatabase, SessionId, SetupState,
    database_name,
};
use orchestra_store::StoreError;

pub use drop::DatabaseEnd;
pub(crate) use drop::WayToDrop;
pub use error::EnvironmentError;
use ports::Leased;
use values::Values;

use crate::view::SessionView;
use crate::{Engine, EngineError};

/// What a session has for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEnvironment {
    /// Its ports, by their first.
    pub ports: Vec<PortLease>,
    /// Its databases, by name.
    pub databases: Vec<SessionDatabase>,
    /// Under which name its servers are reached.
    pub hostname: String,
    /// Its place for what can be made again.
    pub cache: PathBuf,
    /// What Docker Compose should call its containers.
    pub compose_project: String,
    /// What everything that runs in it is told.
    pub variables: BTreeMap<String, String>,
}

/// Everything that is leased, and the number of the event log that is true at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseListing {
    /// The newest event it includes.
    pub seq: u64,
    /// Ports, by their first.
    pub ports: Vec<PortLease>,
    /// Databases, by session and name.
    pub databases: Vec<SessionDatabase>,
}

impl Engine {
    /// What a session has for itself, as the settings want it. What is missing is leased; one that was cleaned up or put
    /// away gets nothing new.
    ///
    /// # Errors
    /// If there is no free port, a place is taken, or a setting cannot be filled in.
    pub fn session_environment(&self, id: &SessionId) -> Result<SessionEnvironment, EngineError> {
        let view = self.session(id)?;
        let session = &view.session;
        let is_in_use = session.trash.is_none() && session.archived_at.is_none();
        if is_in_use {
            let leased = self.lease_missing_ports(session)?;
            self.reserve_missing_databases(session)?;
            let is_set_up = matches!(view.setup, SetupState::Passed | SetupState::Outdated);
            if leased == Leased::Anew && is_set_up {
                self.renew_files(session);
            }
        }
        let leased = self.leases(Some(id))?;
        let values = self.values_with(session, &view.repository.root, &leased)?;
        let LeaseListing {
            ports, databases, ..
        } = leased;
        Ok(SessionEnvironment {
            variables: self.variables_of(&values, is_in_use)?,
            hostname: values.hostname().to_owned(),
            cache: self.cache_of(id),
            compose_project: compose_project(session),
            ports,
            databases,
        })
    }

    /// Its copies of env files were made when it had other ports, which may be another session's by now. Those that somebody
    /// changed stay.
    fn renew_files(&self, session: &Session) {
        match self.copy_into_worktree(&session.id) {
            Ok(lines) => {
                for line in lines.iter().filter(|line| line.is_warning) {
                    tracing::warn!(session = %session.id, "{line}");
                }
            }
            Err(error) => {
                tracing::warn!(session = %session.id, code = error.code(), %error, "cannot renew copies of env files");
            }
        }
    }

    /// The values that variables get in a session's copies of env files.
    pub(crate) fn rewrites_of(
        &self,
        session: &Session,
        root: &Path,
    ) -> Result<BTreeMap<String, String>, EngineError> {
        let rewrites = &self.config().worktree.rewrite;
        if rewrites.is_empty() {
            return Ok(BTreeMap::new());
        }
        // What it has not been given yet is leased, so that every placeholder stands for something.
        self.session_environment(&session.id)?;
        let values = self.values_with(session, root, &self.leases(Some(&session.id))?)?;
        let filled = rewrites
            .iter()
            .map(|(name, text)| Ok((name.clone(), values.fill(text)?)));
        filled.collect()
    }

    /// Everything that is leased now, to one session or to all.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn leases(&self, session: Option<&SessionId>) -> Result<LeaseListing, EngineError> {
        self.store.read(|tx| {
            Ok(LeaseListing {
                seq: tx.last_seq()?,
                ports: tx.port_leases(session)?,
                databases: tx.databases(session)?,
            })
        })
    }

    /// The same as it looks on the disk: a file that is not there, or not yet, is no more than reserved.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn leases_on_disk(&self, session: Option<&SessionId>) -> Result<LeaseListing, EngineError> {
        let mut listing = self.leases(session)?;
        for database in &mut listing.databases {
            if database.state == DatabaseState::Ready && databases::is_missing(database) {
                database.state = DatabaseState::Reserved;
            }
        }
        Ok(listing)
    }

    /// The view of a session that also knows of databases which its repository's settings have got since it was set up. Settings
    /// that cannot be read say nothing of them.
    #[must_use]
    pub fn with_added_databases(&self, mut view: SessionView) -> SessionView {
        let is_in_use = view.session.trash.is_none() && view.session.archived_at.is_none();
        if view.setup != SetupState::Passed || !is_in_use {
            return view;
        }
        if self.has_added_databases(&view).unwrap_or(false) {
            view.setup = view.setup.with_unmade_databases();
        }
        view
    }

    fn has_added_databases(&self, view: &SessionView) -> Result<bool, EngineError> {
        let there = self.with_settings_of(&view.repository.root)?;
        let known = self.leases(Some(&view.session.id))?.databases;
        let is_known = |name: &String| known.iter().any(|it| it.name == *name);
        Ok(!there.config().databases.keys().all(is_known))
    }

    fn reserve_missing_databases(&self, session: &Session) -> Result<(), EngineError> {
        let wanted = &self.config().databases;
        if wanted.is_empty() {
            return Ok(());
        }
        let known = self
            .store
            .read(|tx| Ok::<_, EngineError>(tx.databases(Some(&session.id))?))?;
        for (name, settings) in wanted {
            if known.iter().any(|database| database.name == *name) {
                continue;
            }
            let database = SessionDatabase {
                session: session.id.clone(),
                name: name.clone(),
                kind: settings.kind,
                location: self.location_of(session, name)?,
                state: DatabaseState::Reserved,
                changed_at: self.now(),
            };
            self.reserve_database(&database)?;
        }
        Ok(())
    }

    fn reserve_database(&self, database: &SessionDatabase) -> Result<(), EngineError> {
        match self.write(|tx| Ok(tx.reserve_database(database)?)) {
            Err(EngineError::Store(StoreError::Taken(_))) => {
                let holder = self.leases(None)?.databases.into_iter().find(|other| {
                    (other.kind, &other.location) == (database.kind, &database.location)
                });
                match holder {
                    // Another process reserved it for the same session.
                    Some(other) if other.session == database.session => Ok(()),
                    holder => Err(EnvironmentError::LocationTaken {
                        database: database.name.clone(),
                        location: database.location.clone(),
                        holder: holder.map(|other| other.session),
                    }
                    .into()),
                }
            }
            reserved => reserved,
        }
    }

    /// Where a database is to be: as the settings say, or a place that no other session can have.
    fn location_of(&self, session: &Session, name: &str) -> Result<String, EngineError> {
        let settings = self.config().databases.get(name);
        let kind = settings.map_or(DatabaseKind::Sqlite, |settings| settings.kind);
        let location = settings.and_then(|settings| settings.location.as_ref());
        let filled = match location {
            Some(text) => {
                // What was there before must not be dropped as a session's own.
                if settings.is_some_and(DatabaseSettings::climbs) {
                    return Err(climbing_location(name, text).into());
                }
                if !settings.is_some_and(DatabaseSettings::has_own_location) {
                    return Err(shared_location(name, text).into());
                }
                let root = self.session(&session.id)?.repository.root;
                Some(self.values_of(session, &root)?.fill(text)?)
            }
            None => None,
        };
        Ok(match (kind, filled) {
            (DatabaseKind::Sqlite, Some(path)) => path_text(&session.worktree.join(path)),
            (DatabaseKind::Sqlite, None) => {
                let folder = self.folder_of(&session.id).join("databases");
                path_text(&folder.join(format!("{name}.db")))
            }
            (DatabaseKind::Postgresql | DatabaseKind::Mysql, Some(name)) => database_name(&name),
            (DatabaseKind::Postgresql | DatabaseKind::Mysql, None) => {
                database_name(&format!("{name}_{}_{}", slug(session), session.id))
            }
        })
    }

    fn variables_of(
        &self,
        values: &Values,
        is_in_use: bool,
    ) -> Result<BTreeMap<String, String>, EngineError> {
        let mut variables = values.variables();
        variables.extend(self.usual_variables(values));
        for (name, text) in &self.config().worktree.variables {
            if !child_env::may_be_chosen(name) {
                return Err(EnvironmentError::VariableRefused(name.clone()).into());
            }
            match values.fill(text) {
                // One that was cleaned up has no ports to speak of any more.
                Err(EnvironmentError::UnknownPlaceholder { .. }) if !is_in_use => continue,
                filled => variables.insert(name.clone(), filled?),
            };
        }
        Ok(variables)
    }

    /// The names that programs look for without knowing of Orchestra.
    fn usual_variables(&self, values: &Values) -> impl Iterator<Item = (String, String)> {
        let settings = self.config();
        let port = settings.main_port().map(|name| format!("port.{name}"));
        let url = settings.main_database();
        let url = url.map(|name| format!("database_url.{name}"));
        let told = [(variables::PORT, port), (variables::DATABASE_URL, url)];
        told.into_iter().filter_map(|(variable, name)| {
            let value = values.find(&name?)?;
            Some((variable.to_owned(), value.clone()))
        })
    }

    fn values_with(
        &self,
        session: &Session,
        root: &Path,
        leased: &LeaseListing,
    ) -> Result<Values, EngineError> {
        let mut values = self.values_of(session, root)?;
        values.add_ports(&leased.ports);
        values.add_databases(&leased.databases, &self.config().databases)?;
        Ok(values)
    }

    fn values_of(&self, session: &Session, root: &Path) -> Result<Values, EnvironmentError> {
        let mut values = Values::default();
        values.put("id", session.id.as_str());
        values.put("slug", &slug(session));
        values.put("branch", session.branch.as_str());
        values.put("worktree", &path_text(&session.worktree));
        values.put("repository", &path_text(root));
        values.put("cache", &path_text(&self.cache_of(&session.id)));
        values.put("compose_project", &compose_project(session));
        if let Some(issue) = &session.issue {
            values.put("issue", issue);
        }
        let hostname = values.fill(&self.config().worktree.hostname)?;
        values.put("hostname", &hostname);
        Ok(values)
    }

    /// Where a session keeps what is its own and not part of its worktree.
    pub(crate) fn folder_of(&self, id: &SessionId) -> PathBuf {
        self.dirs.environments().join(id.as_str())
    }
}

fn climbing_location(name: &str, text: &str) -> EnvironmentError {
    EnvironmentError::ClimbingLocation {
        database: name.to_owned(),
        location: text.to_owned(),
    }
}

fn shared_location(name: &str, text: &str) -> EnvironmentError {
    EnvironmentError::SharedLocation {
        database: name.to_owned(),
        location: text.to_owned(),
    }
}

fn compose_project(session: &Session) -> String {
    format!("{}-{}", slug(session), session.id)
}

/// What was started under it is looked for under it, so it stays when the session gets another name.
fn slug(session: &Session) -> String {
    let name = session.first_name.as_ref().unwrap_or(&session.name);
    name.slug().unwrap_or_else(|| session.id.to_string())
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
