//! Sessions: what was begun in them and has no end, and their directories.

use orchestra_core::status::Lease;
use orchestra_core::{Change, Operation, OperationState, Session, SessionStatus};

use super::{Diagnosis, Health};
use crate::change::busy;
use crate::{Engine, EngineError, Loss};

impl Engine {
    pub(super) fn check_sessions(&self, fix: bool) -> Result<Vec<Diagnosis>, EngineError> {
        let mut checks = Vec::new();
        if fix {
            for session in self.all_sessions()? {
                checks.extend(self.recover_checked(&session));
            }
        }
        for session in self.all_sessions()? {
            let found = self.check_session(&session);
            checks.extend(found.unwrap_or_else(|error| {
                let check =
                    Diagnosis::of_session(&session, Health::Bad, crate::chain::text(&error));
                Some(check.hint_of(&error))
            }));
        }
        Ok(checks)
    }

    fn check_session(&self, session: &Session) -> Result<Option<Diagnosis>, EngineError> {
        // The repository's own row tells what to do.
        if self.session(&session.id)?.loss() == Some(Loss::Repository) {
            return Ok(None);
        }
        if let Some(check) = self.check_work(session)? {
            return Ok(Some(check));
        }
        if let Some(check) = self.check_servers(session)? {
            return Ok(Some(check));
        }
        if let Some(check) = self.check_unknown(session)? {
            return Ok(Some(check));
        }
        let is_away = session.archived_at.is_some() || session.trash.is_some();
        if session.worktree_ready && !is_away {
            return self.check_directory(session);
        }
        Ok(None)
    }

    /// Something that was begun has no end: it goes on, it died, or nobody can tell.
    fn check_work(&self, session: &Session) -> Result<Option<Diagnosis>, EngineError> {
        let view = self.session(&session.id)?;
        let scripts = self.unfinished_scripts_of(&session.id)?;
        let unfinished = view.work().is_some() || !scripts.is_empty() || !session.worktree_ready;
        if view.is_active() {
            return Ok(None);
        }
        if unfinished && view.status == SessionStatus::Unknown {
            let unknown = busy(&view);
            let check = Diagnosis::of_session(session, Health::Bad, unknown.to_string());
            let lock = self.dirs.leases().join(format!("{}.run", session.id));
            return Ok(Some(check.hint(format!(
                "its lock cannot be read: check who owns {} and whether it is a plain file",
                lock.display()
            ))));
        }
        if unfinished {
            let check = Diagnosis::of_session(session, Health::Bad, "what worked on it died");
            let hint = "`orchestra doctor --fix` puts its records right";
            return Ok(Some(check.hint(hint)));
        }
        let check = self.find_cut_off(session)?.map(|detail| {
            let check = Diagnosis::of_session(session, Health::Bad, detail);
            check.hint("`orchestra doctor --fix` finishes it or puts it back, as most commands do")
        });
        Ok(check)
    }

    /// A server that has no end goes on, died, or nobody can tell.
    fn check_servers(&self, session: &Session) -> Result<Option<Diagnosis>, EngineError> {
        let unfinished = self.unfinished_servers_of(&session.id)?;
        let Some(run) = unfinished
            .iter()
            .find(|run| self.lease_of(run) != Lease::Held)
        else {
            return Ok(None);
        };
        let name = &run.script;
        if self.lease_of(run) == Lease::Unknown {
            let detail = format!("it cannot be told whether its server `{name}` runs");
            let check = Diagnosis::of_session(session, Health::Bad, detail);
            let place = self.dirs.leases();
            return Ok(Some(check.hint(format!(
                "its lock cannot be read: check who owns the files in {}",
                place.display()
            ))));
        }
        let servers = self.leases.try_servers(&session.id);
        let is_being_started = matches!(servers, Ok(None));
        let (goes_on, hint) = match self.goes_on_alone(run) {
            true => (
                "; the server goes on, and its guardian waits",
                "`orchestra doctor --fix` takes it over, as most commands do",
            ),
            false => ("", "`orchestra doctor --fix` puts its records right"),
        };
        Ok((!is_being_started).then(|| {
            let detail = format!("what ran its server `{name}` died{goes_on}");
            Diagnosis::of_session(session, Health::Bad, detail).hint(hint)
        }))
    }

    /// What was begun, has no end, and is carried by nobody any more.
    fn find_cut_off(&self, session: &Session) -> Result<Option<String>, EngineError> {
        if self.leases.state(&session.id) != Lease::Free {
            return Ok(None);
        }
        let operations = self.open_operations(&session.id)?;
        let told: Vec<_> = operations.iter().map(cut_off).collect();
        if !told.is_empty() {
            return Ok(Some(told.join("; ")));
        }
        let is_open = !self.open_intents_of(&session.id)?.is_empty();
        Ok(is_open.then(|| "something that was done to it was cut off".to_owned()))
    }

    /// What was cut off and could be neither finished nor taken back is told until something else was done since.
    fn check_unknown(&self, session: &Session) -> Result<Option<Diagnosis>, EngineError> {
        let operations = self.operations(&session.id)?;
        let newest = operations.iter().rev();
        let mut since = newest.take_while(|it| it.state != OperationState::Done);
        let unknown = since.find(|it| it.state == OperationState::Unknown);
        Ok(unknown.map(|operation| {
            let detail = format!(
                "it is not known what became of its {}: {}",
                operation.kind, operation.summary
            );
            let check = Diagnosis::of_session(session, Health::Note, detail);
            let id = &session.id;
            check.hint(format!(
                "look at it; `orchestra session operations {id}` says where the state before is kept"
            ))
        }))
    }

    /// One session that cannot be put right does not keep the others from it.
    fn recover_checked(&self, session: &Session) -> Vec<Diagnosis> {
        match self.recover_session(&session.id) {
            Ok(done) => {
                // A server that could not be taken over is told about as well.
                let health = match self.check_servers(session) {
                    Ok(None) => Health::Fixed,
                    Ok(Some(_)) | Err(_) => Health::Note,
                };
                done.into_iter()
                    .map(|what| Diagnosis::of_session(session, health, what))
                    .collect()
            }
            Err(error) => {
                let check = Diagnosis::of_session(session, Health::Bad, crate::chain::text(&error));
                vec![check.hint_of(&error)]
            }
        }
    }
}

fn cut_off(operation: &Operation) -> String {
    let kind = operation.kind;
    match &operation.change {
        Change::Checkout { branch, .. } => {
            format!("{kind} was cut off; files may be half changed where `{branch}` is checked out")
        }
        Change::Branch { .. }
        | Change::Index { .. }
        | Change::Worktree { .. }
        | Change::Trash { .. }
        | Change::TrashedBranch { .. }
        | Change::Lasting => format!("{kind} was cut off"),
    }
}
