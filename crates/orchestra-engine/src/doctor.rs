//! The doctor: looks at everything a session depends on, says what is wrong, and repairs what is ours.
//!
//! Every check is a row. One that fails is a row too, and keeps none of the others from being done.

mod directory;
mod folders;
mod installation;
mod processes;
mod repositories;
mod restore;
mod sandbox;
mod sessions;
mod settings;
mod snapshots;
mod unrecorded;
mod writable;

use orchestra_core::Session;
use orchestra_store::SessionFilter;

pub(crate) use restore::require_not_lost;

use crate::{Engine, EngineError, OpenOptions, chain};

use installation::{check_logs, check_without_engine};
use processes::check_processes;
use restore::restore_database;
use unrecorded::Breadth;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// What was looked at, such as `database`.
    pub name: String,
    /// How it is.
    pub health: Health,
    /// In words.
    pub detail: String,
    /// What can be done about it.
    pub hint: Option<String>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// As it should be.
    Good,
    /// It was wrong and is right now.
    Fixed,
    /// Worth knowing.
    Note,
    /// Wrong.
    Bad,
}

/// Everything that was looked at.
#[derive(Debug)]
pub struct Examination {
    /// The rows.
    pub checks: Vec<Diagnosis>,
    /// The engine, if one could be opened.
    pub engine: Option<Engine>,
}

/// Looks at everything; with `fix` repairs what is ours. Settings or a database that cannot be used are rows as well.
#[must_use]
pub fn examine(options: &OpenOptions, fix: bool) -> Examination {
    let (mut checks, readable) = settings::look(options);
    let opened = readable
        .as_ref()
        .and_then(|options| open(options, fix, &mut checks));
    let Some((engine, breadth)) = opened else {
        checks.extend(check_without_engine(&options.environment, fix));
        checks.extend(readable.map(agents_without_database).unwrap_or_default());
        checks.push(check_processes());
        return Examination {
            checks,
            engine: None,
        };
    };
    let here = options.repository.as_deref();
    if let Some(here) = here {
        checks.extend(rows("repository", engine.check_moved(here, fix)));
    }
    checks.extend(engine.doctor(fix));
    checks.extend(rows("worktrees", engine.unrecorded_work(here, breadth)));
    Examination {
        checks,
        engine: Some(engine),
    }
}

/// Agents are found by settings alone.
fn agents_without_database(options: OpenOptions) -> Vec<Diagnosis> {
    match Engine::open_without_database(options) {
        Ok(engine) => engine.check_agents(),
        Err(error) => vec![Diagnosis::bad("agents", &error)],
    }
}

/// Opens the engine, after restoring its database if that is needed and wanted.
fn open(
    options: &OpenOptions,
    fix: bool,
    checks: &mut Vec<Diagnosis>,
) -> Option<(Engine, Breadth)> {
    let mut breadth = Breadth::OurWorktrees;
    if fix {
        match restore_database(options) {
            Ok(None) => {}
            Ok(Some(restored)) => {
                breadth = Breadth::Everything;
                checks.push(restored.check());
            }
            Err(error) => {
                checks.push(Diagnosis::bad("database", &error));
                return None;
            }
        }
    }
    match Engine::open(options.clone()) {
        Ok(engine) => Some((engine, breadth)),
        Err(error) => {
            let name = match error {
                EngineError::Store(_) => "database",
                EngineError::Invalid { .. } => "settings",
                _ => "data directory",
            };
            checks.push(Diagnosis::bad(name, &error));
            None
        }
    }
}

fn rows(name: &str, looked: Result<Vec<Diagnosis>, EngineError>) -> Vec<Diagnosis> {
    looked.unwrap_or_else(|error| vec![Diagnosis::bad(name, &error)])
}

impl Diagnosis {
    fn new(name: &str, health: Health, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            health,
            detail: detail.into(),
            hint: None,
        }
    }

    fn of_session(session: &Session, health: Health, detail: impl Into<String>) -> Self {
        let name = format!("session {} ({})", session.id, session.name);
        Self::new(&name, health, detail)
    }

    fn bad(name: &str, error: &EngineError) -> Self {
        Self::new(name, Health::Bad, chain::text(error)).hint_of(error)
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn hint_of(mut self, error: &EngineError) -> Self {
        self.hint = error.hint();
        self
    }
}

impl Engine {
    /// Looks at everything an open engine can see; with `fix` repairs what is ours.
    #[must_use]
    pub fn doctor(&self, fix: bool) -> Vec<Diagnosis> {
        let mut checks = vec![
            self.check_git(),
            self.check_database(),
            self.check_private(fix),
            check_logs(&self.dirs),
        ];
        checks.extend(self.check_agents());
        checks.extend(rows("sandbox", self.check_layers()));
        checks.push(check_processes());
        checks.extend(rows("sessions", self.check_sessions(fix)));
        checks.extend(rows("repositories", self.check_repositories(fix)));
        checks.extend(rows("processes", self.check_leftovers(fix)));
        checks.extend(rows("processes", self.check_strangers()));
        checks.extend(self.check_private_directories(fix));
        checks.extend(rows("snapshots", self.check_snapshots(fix)));
        checks
    }

    pub(crate) fn all_sessions(&self) -> Result<Vec<Session>, EngineError> {
        self.store.read(|tx| {
            Ok(tx.sessions(SessionFilter {
                repository: None,
                archived: true,
            })?)
        })
    }
}
