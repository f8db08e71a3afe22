//! Making the databases of a session. That can be cut off at any moment, and is then done again: the command for it must take that
//! a database is there already.

use std::io;
use std::path::Path;

use orchestra_config::variables;
use orchestra_core::{
    DatabaseKind, DatabaseState, EventBody, SETUP_SCRIPT, ScriptResult, ScriptRun, SessionDatabase,
};

use super::EnvironmentError;
use crate::copy_files::Directory;
use crate::project_commands::{ProjectCommand, told};
use crate::script::{ScriptOrder, ScriptPlace};
use crate::view::SessionView;
use crate::{Engine, EngineError};

impl Engine {
    /// Makes a database of a session as a step of its set-up.
    pub(crate) fn make_database(
        &self,
        view: &SessionView,
        run: &ScriptRun,
        name: &str,
    ) -> Result<ScriptResult, EngineError> {
        let id = &view.session.id;
        let databases = self.session_environment(id)?.databases;
        let Some(database) = databases.into_iter().find(|it| it.name == name) else {
            return Ok(ScriptResult::Exited(0));
        };
        let create = self.database_command(view, &database, "create")?;
        let is_file = database.kind == DatabaseKind::Sqlite;
        if is_file && database.state == DatabaseState::Ready && !is_missing(&database) {
            self.say_in_log(run, &format!("set-up: {} is there", database.location));
            return Ok(ScriptResult::Exited(0));
        }
        if !is_file && create.is_none() {
            return self.leave_to_others(run, &database);
        }
        if let Some(create) = &create {
            create.require_allowed(self)?;
        }
        self.change_database(&database, DatabaseState::Creating)?;
        self.failpoints.pass("database.creating");
        let made = self.make_by(view, run, &database, create.as_ref());
        self.failpoints.pass("database.made");
        let state = match &made {
            Ok(result) if result.passed() => DatabaseState::Ready,
            Ok(_) | Err(_) => DatabaseState::Failed,
        };
        self.change_database(&database, state)?;
        made
    }

    /// Nobody can ask a server without a command for it.
    fn leave_to_others(
        &self,
        run: &ScriptRun,
        database: &SessionDatabase,
    ) -> Result<ScriptResult, EngineError> {
        let (name, place) = (&database.name, &database.location);
        let line = format!("set-up: {place} was not made: databases.{name}.create is not set");
        self.say_in_log(run, &line);
        if database.state != DatabaseState::Unknown {
            self.change_database(database, DatabaseState::Unknown)?;
        }
        Ok(ScriptResult::Exited(0))
    }

    /// The command runs for a database that should be there too: only the server knows whether it still is.
    fn make_by(
        &self,
        view: &SessionView,
        run: &ScriptRun,
        database: &SessionDatabase,
        create: Option<&ProjectCommand>,
    ) -> Result<ScriptResult, EngineError> {
        self.make_folder_for(view, database)?;
        let Some(create) = create else {
            return Ok(ScriptResult::Exited(0));
        };
        let result = self.supervise_for_database(view, run, database, create)?;
        let (name, place) = (&database.name, &database.location);
        match result {
            ScriptResult::Exited(0) => {
                let line = format!("set-up: databases.{name}.create passed for {place}");
                self.say_in_log(run, &line);
            }
            ScriptResult::Exited(_) | ScriptResult::Signalled(_) => {
                let failed = EnvironmentError::CreateFailed {
                    session: database.session.clone(),
                    database: name.clone(),
                    location: place.clone(),
                };
                self.keep_problem(run, "set-up", &self.problem_of(&failed.into()));
            }
            _ => {}
        }
        Ok(result)
    }

    pub(super) fn database_command(
        &self,
        view: &SessionView,
        database: &SessionDatabase,
        what: &str,
    ) -> Result<Option<ProjectCommand>, EngineError> {
        let setting = format!("databases.{}.{what}", database.name);
        self.project_command(Some(view.session.repository), &setting)
    }

    /// A file needs a directory; only those below places of the session are made, and none behind a link: an agent may have put
    /// one into the worktree.
    fn make_folder_for(
        &self,
        view: &SessionView,
        database: &SessionDatabase,
    ) -> Result<(), EngineError> {
        let file = Path::new(&database.location);
        let own = self.folder_of(&database.session);
        let place = match is_below(file, &own) {
            true => {
                self.create_private_dir(&own)?;
                own
            }
            false => view.session.worktree.clone(),
        };
        match file.parent() {
            Some(folder) if database.kind == DatabaseKind::Sqlite && is_below(file, &place) => {
                make_folder(&place, folder).map_err(|error| {
                    EngineError::io(format!("make the directory {}", folder.display()), error)
                })
            }
            _ => Ok(()),
        }
    }

    fn supervise_for_database(
        &self,
        view: &SessionView,
        run: &ScriptRun,
        database: &SessionDatabase,
        command: &ProjectCommand,
    ) -> Result<ScriptResult, EngineError> {
        let told = told_of(view, database);
        let order = ScriptOrder {
            session: &view.session,
            iteration: None,
            name: SETUP_SCRIPT,
            command: command.about_to_run(self)?,
            place: ScriptPlace::Directory(&view.session.worktree, &told),
            limit: self.command_limit(),
        };
        self.supervise_script(&order, run)
    }

    pub(super) fn change_database(
        &self,
        database: &SessionDatabase,
        state: DatabaseState,
    ) -> Result<(), EngineError> {
        self.write(|tx| {
            tx.set_database_state(&database.session, &database.name, state)?;
            let body = EventBody::DatabaseChanged {
                name: database.name.clone(),
                state: Some(state),
            };
            tx.append_event(Some(&database.session), &body)?;
            Ok(())
        })
    }
}

/// What a command for a database is told.
pub(super) fn told_of(
    view: &SessionView,
    database: &SessionDatabase,
) -> Vec<(&'static str, String)> {
    let session = &view.session;
    let mut told = told(session, &session.base_branch, &view.repository.root);
    told.push((variables::ORCHESTRA_DATABASE, database.name.clone()));
    told.push((variables::ORCHESTRA_LOCATION, database.location.clone()));
    told
}

/// Whether it is a file that is not there: the first program that opens it makes it, if nothing did before.
pub(super) fn is_missing(database: &SessionDatabase) -> bool {
    let is_there = Path::new(&database.location).try_exists();
    database.kind == DatabaseKind::Sqlite && matches!(is_there, Ok(false))
}

fn make_folder(place: &Path, folder: &Path) -> io::Result<()> {
    // The file may lie in the place itself.
    let below = folder.strip_prefix(place).unwrap_or(Path::new(""));
    match Directory::open(place)?.make_below(below) {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(io::Error::other("a file or a link is in its way"))
        }
        made => made.map(drop),
    }
}

/// Whether a path stays below a folder, whatever its parts are.
pub(super) fn is_below(path: &Path, folder: &Path) -> bool {
    use std::path::Component;
    let climbs = path.components().any(|part| part == Component::ParentDir);
    path.starts_with(folder) && !climbs
}
