//! Which command a script is: by its name, the session's own, or `test`.

use orchestra_core::{DROP_SCRIPT, SESSION_SCRIPT, SETUP_SCRIPT, Session, TEARDOWN_SCRIPT};

use crate::project_commands::{Permission, ProjectCommand};
use crate::{Engine, EngineError};

impl Engine {
    /// The command of a script: the one that is named, else the session's own, else `test` of the repository.
    ///
    /// # Errors
    /// If there is no such script.
    pub fn script_command(
        &self,
        session: &Session,
        name: Option<&str>,
    ) -> Result<ProjectCommand, EngineError> {
        Ok(self.script_of(session, name)?.1)
    }

    /// A script's name and command.
    pub(crate) fn script_of(
        &self,
        session: &Session,
        name: Option<&str>,
    ) -> Result<(String, ProjectCommand), EngineError> {
        let missing = |name: Option<&str>| EngineError::ScriptMissing {
            name: name.map(str::to_owned),
            known: self.config().scripts.keys().cloned().collect(),
            own: session.script.is_some().then(|| session.id.clone()),
        };
        match (name.filter(|name| *name != SESSION_SCRIPT), &session.script) {
            (Some(name @ (SETUP_SCRIPT | TEARDOWN_SCRIPT | DROP_SCRIPT)), _) => {
                Err(EngineError::Invalid {
                    problem: format!(
                        "`{name}` is not a name for a script: runs of Orchestra's own are called so"
                    ),
                    way_out: Some(format!(
                        "`orchestra session setup {}` sets the session up; give a script of yours another name",
                        session.id
                    )),
                })
            }
            (Some(name), _) => {
                let found = self.named_script(session, name)?;
                found.ok_or_else(|| missing(Some(name)))
            }
            (None, Some(command)) => Ok((SESSION_SCRIPT.to_owned(), own_script(command))),
            (None, None) => {
                let test = self.named_script(session, "test")?;
                test.ok_or_else(|| missing(None))
            }
        }
    }

    fn named_script(
        &self,
        session: &Session,
        name: &str,
    ) -> Result<Option<(String, ProjectCommand)>, EngineError> {
        if !self.config().scripts.contains_key(name) {
            return Ok(None);
        }
        let setting = format!("scripts.{name}");
        let command = self.project_command(Some(session.repository), &setting)?;
        Ok(command.map(|command| (name.to_owned(), command)))
    }
}

/// What the user gave for this session needs no permission.
fn own_script(command: &str) -> ProjectCommand {
    ProjectCommand {
        setting: SESSION_SCRIPT.to_owned(),
        command: command.to_owned(),
        permission: Permission::Own,
    }
}
