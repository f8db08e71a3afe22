//! A store in a directory of its own, and values to put into it.
//!
//! While a store is open, its file is only looked at through SQLite: on Unix, closing any other handle of the file would
//! drop the locks of this process.

use std::path::{Path, PathBuf};
use std::time::Duration;

use orchestra_core::{
    AgentEvent, EventBody, NewSession, Repository, Role, Session, SessionId, Timestamp,
};
use orchestra_store::{Durability, NewItem, Store, StoreError, Tx};
use rusqlite::types::{FromSql, Value};
use tempfile::TempDir;

pub(crate) struct Sandbox {
    directory: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self {
            directory: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.directory().join("orchestra.db")
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.database(), "first").unwrap()
    }

    /// A connection that is not the store's.
    pub(crate) fn sqlite(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.database()).unwrap()
    }

    /// One value of the file, as SQLite tells it.
    pub(crate) fn ask<T: FromSql>(&self, query: &str) -> T {
        self.sqlite()
            .query_row(query, [], |row| row.get(0))
            .unwrap()
    }

    pub(crate) fn file_names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// Every row of every table, read with plain SQL.
pub(crate) fn dump(database: &Path) -> rusqlite::Result<Vec<String>> {
    let connection = rusqlite::Connection::open(database)?;
    let tables: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut lines = Vec::new();
    for table in tables {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}"))?;
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            (0..columns)
                .map(|index| row.get::<_, Value>(index))
                .collect::<Result<Vec<_>, _>>()
        })?;
        for row in rows {
            lines.push(format!("{table} {:?}", row?));
        }
    }
    lines.sort();
    Ok(lines)
}

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap()
}

pub(crate) fn id(text: &str) -> SessionId {
    text.parse().unwrap()
}

pub(crate) fn write<T>(store: &Store, writing: impl FnOnce(&Tx<'_>) -> Result<T, StoreError>) -> T {
    try_write(store, writing).unwrap()
}

pub(crate) fn try_write<T>(
    store: &Store,
    writing: impl FnOnce(&Tx<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    store.write(Durability::State, at(1_000), writing)
}

pub(crate) fn read<T>(store: &Store, reading: impl FnOnce(&Tx<'_>) -> Result<T, StoreError>) -> T {
    store.read(reading).unwrap()
}

pub(crate) fn repository(store: &Store) -> Repository {
    write(store, |tx| {
        tx.ensure_repository(Path::new("/home/me/app"), Path::new("/home/me/app/.git"))
    })
}

/// A session whose name, branch and directory follow from its id.
pub(crate) fn session(repository: &Repository, session_id: &str) -> Session {
    let new = NewSession {
        id: id(session_id),
        repository: repository.id,
        name: format!("name {session_id}").parse().unwrap(),
        prompt: "make it faster".to_owned(),
        base_branch: "main".parse().unwrap(),
        base_commit: "a".repeat(40).parse().unwrap(),
        branch: format!("amp/{session_id}").parse().unwrap(),
        worktree: PathBuf::from(format!("/home/me/app/.worktrees/{session_id}")),
        agent: "amp".to_owned(),
        created_at: at(500),
    };
    Session {
        notes: Some("mind the cache".to_owned()),
        issue: Some("17".to_owned()),
        script: Some("cargo test".to_owned()),
        timeout: Some(Duration::from_secs(90)),
        ..Session::new(new)
    }
}

/// Adds a session with this id and answers the id.
pub(crate) fn add_session(store: &Store, session_id: &str) -> SessionId {
    let repository = repository(store);
    write(store, |tx| {
        tx.insert_session(&session(&repository, session_id))
    });
    id(session_id)
}

pub(crate) fn message(text: &str) -> NewItem {
    NewItem {
        at: at(700),
        line: None,
        event: AgentEvent::Message {
            role: Role::Agent,
            text: text.to_owned(),
        },
    }
}

pub(crate) fn note(text: &str) -> EventBody {
    EventBody::Recovered {
        what: text.to_owned(),
    }
}
