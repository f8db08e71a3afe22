//! Dropping the databases of a session, for good. That can be cut off at any moment, and is then done again: the command for it
//! must take that a database is gone already.

use std::path::{Path, PathBuf};

use orchestra_core::{DROP_SCRIPT, DatabaseKind, DatabaseState, EventBody, SessionDatabase};

use super::EnvironmentError;
use super::databases::{is_below, is_missing, told_of};
use crate::project_commands::ProjectCommand;
use crate::view::SessionView;
use crate::{Engine, EngineError};

/// What SQLite keeps beside a database file.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// How a database goes away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WayToDrop {
    /// A command of the settings does it.
    Command(ProjectCommand),
    /// The file is deleted.
    File(PathBuf),
    /// It goes with the worktree.
    Worktree,
    /// It is not there.
    Nothing,
}

/// What becomes of a database that somebody wants dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseEnd {
    /// It is gone for good.
    Dropped,
    /// It lies in the trash with the worktree, and comes back with it.
    InTrash,
    /// It is not there.
    NotThere,
}

impl WayToDrop {
    /// Where it leads.
    pub(crate) const fn end(&self) -> DatabaseEnd {
        match self {
            Self::Command(_) | Self::File(_) => DatabaseEnd::Dropped,
            Self::Worktree => DatabaseEnd::InTrash,
            Self::Nothing => DatabaseEnd::NotThere,
        }
    }
}

impl Engine {
    /// The commands that drop the databases of a session, as far as there are any.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn drop_commands(&self, view: &SessionView) -> Result<Vec<ProjectCommand>, EngineError> {
        let mut commands = Vec::new();
        for database in self.leases(Some(&view.session.id))?.databases {
            commands.extend(self.database_command(view, &database, "drop")?);
        }
        Ok(commands)
    }

    /// How the databases of a session would be dropped.
    ///
    /// # Errors
    /// If it is not known of one of them.
    pub(crate) fn ways_to_drop(
        &self,
        view: &SessionView,
    ) -> Result<Vec<(SessionDatabase, WayToDrop)>, EngineError> {
        let databases = self.leases(Some(&view.session.id))?.databases.into_iter();
        databases
            .map(|database| {
                let way = self.way_to_drop(view, &database)?;
                Ok((database, way))
            })
            .collect()
    }

    /// Drops databases of a session for good. Only for whoever holds its lease. One that cannot be dropped stays, and is dropped
    /// when the same is asked for again.
    pub(crate) fn drop_databases(
        &self,
        view: &SessionView,
        ways: &[(SessionDatabase, WayToDrop)],
    ) -> Result<(), EngineError> {
        for (database, way) in ways {
            self.change_database(database, DatabaseState::Dropping)?;
            self.failpoints.pass("database.dropping");
            self.drop_by(view, database, way)?;
            self.failpoints.pass("database.dropped");
            self.forget_database(database)?;
        }
        Ok(())
    }

    /// A file of ours is ours to delete; one in the worktree goes where that goes. Any other place was chosen by a settings file.
    fn way_to_drop(
        &self,
        view: &SessionView,
        database: &SessionDatabase,
    ) -> Result<WayToDrop, EngineError> {
        if !database.state.may_exist() {
            return Ok(WayToDrop::Nothing);
        }
        if let Some(command) = self.database_command(view, database, "drop")? {
            return Ok(WayToDrop::Command(command));
        }
        let file = PathBuf::from(&database.location);
        match database.kind {
            DatabaseKind::Sqlite if is_below(&file, &self.folder_of(&database.session)) => {
                Ok(WayToDrop::File(file))
            }
            DatabaseKind::Sqlite if is_below(&file, &view.session.worktree) => {
                Ok(WayToDrop::Worktree)
            }
            DatabaseKind::Sqlite if is_missing(database) => Ok(WayToDrop::Nothing),
            DatabaseKind::Sqlite | DatabaseKind::Postgresql | DatabaseKind::Mysql => {
                Err(EnvironmentError::NoDropCommand {
                    database: database.name.clone(),
                    location: database.location.clone(),
                }
                .into())
            }
        }
    }

    fn drop_by(
        &self,
        view: &SessionView,
        database: &SessionDatabase,
        way: &WayToDrop,
    ) -> Result<(), EngineError> {
        match way {
            WayToDrop::Worktree | WayToDrop::Nothing => Ok(()),
            WayToDrop::File(file) => self.drop_file(view, file),
            WayToDrop::Command(command) => {
                let told = told_of(view, database);
                let root = &view.repository.root;
                let run = self.run_command(&view.session, command, root, &told)?;
                match run.has_passed() {
                    true => Ok(()),
                    false => Err(EnvironmentError::DropFailed {
                        session: database.session.clone(),
                        database: database.name.clone(),
                        log: self.script_log(&run),
                    }
                    .into()),
                }
            }
        }
    }

    /// A file needs no command, but the set-up that filled it has to be done again all the same.
    fn drop_file(&self, view: &SessionView, file: &Path) -> Result<(), EngineError> {
        let what = format!("delete {}", file.display());
        // It must be on the disk before the file is gone.
        let run = self.write(|tx| self.record_removal(tx, view, DROP_SCRIPT, &what))?;
        self.failpoints.pass("database.file_recorded");
        let removed = remove_sqlite(file);
        self.close_removal(&run, removed.as_ref().err())?;
        removed
    }

    fn forget_database(&self, database: &SessionDatabase) -> Result<(), EngineError> {
        self.write(|tx| {
            tx.forget_database(&database.session, &database.name)?;
            let body = EventBody::DatabaseChanged {
                name: database.name.clone(),
                state: None,
            };
            tx.append_event(Some(&database.session), &body)?;
            Ok(())
        })
    }
}

fn remove_sqlite(file: &Path) -> Result<(), EngineError> {
    for ending in BESIDE {
        let mut path = file.as_os_str().to_owned();
        path.push(ending);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let what = format!("delete {}", Path::new(&path).display());
                return Err(EngineError::io(what, error));
            }
            _ => {}
        }
    }
    Ok(())
}
