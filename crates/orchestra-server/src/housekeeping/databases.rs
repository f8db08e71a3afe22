//! Databases of sessions whose worktrees were deleted for good.

use std::collections::BTreeSet;

use orchestra_api::{DatabaseLeft, ErrorBody};
use orchestra_core::{SessionDatabase, SessionId};
use orchestra_engine::{Engine, EngineError};

use super::Housekeeper;

/// Which databases somebody agreed to lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreed {
    /// Whatever is left.
    All,
    /// Those that were shown.
    Of(BTreeSet<SessionId>),
}

impl Agreed {
    fn includes(&self, id: &SessionId) -> bool {
        match self {
            Self::All => true,
            Self::Of(sessions) => sessions.contains(id),
        }
    }
}

/// What became of databases that are left.
#[derive(Debug, Default)]
pub struct DatabasesLeft {
    /// Each, and whether it is dropped.
    pub databases: Vec<(SessionDatabase, bool)>,
    /// What could not be dropped, and why.
    pub problems: Vec<String>,
}

impl DatabasesLeft {
    /// What is left, and nothing done to it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn find(engine: &Engine) -> Result<Self, EngineError> {
        let databases = engine.databases_left()?.into_iter();
        Ok(Self {
            databases: databases.map(|it| (it, false)).collect(),
            problems: Vec::new(),
        })
    }

    /// The sessions they belonged to.
    #[must_use]
    pub fn sessions(&self) -> BTreeSet<SessionId> {
        let sessions = self.databases.iter().map(|(it, _)| it.session.clone());
        sessions.collect()
    }

    /// Drops what somebody agreed to lose, for good. One that cannot be dropped does not keep the others from it.
    pub(super) fn drop_agreed(
        mut self,
        engine: &Engine,
        agreed: &Agreed,
        keeper: &impl Housekeeper,
    ) -> Result<Self, EngineError> {
        for id in self.sessions() {
            if !agreed.includes(&id) {
                continue;
            }
            if let Err(ErrorBody { message, hint, .. }) = drop_of(engine, &id, keeper)? {
                let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
                self.problems.push(format!("{id}: {message}{hint}"));
            }
        }
        let still: Vec<SessionDatabase> = engine.databases_left()?;
        for (database, dropped) in &mut self.databases {
            let is_it =
                |it: &SessionDatabase| it.session == database.session && it.name == database.name;
            *dropped = !still.iter().any(is_it);
        }
        Ok(self)
    }

    pub(super) fn rows(&self) -> Vec<DatabaseLeft> {
        let rows = self.databases.iter();
        let row = |(database, dropped): &(SessionDatabase, bool)| DatabaseLeft {
            database: database.clone().into(),
            dropped: *dropped,
        };
        rows.map(row).collect()
    }
}

fn drop_of(
    engine: &Engine,
    id: &SessionId,
    keeper: &impl Housekeeper,
) -> Result<Result<(), ErrorBody>, EngineError> {
    let view = engine.session(id)?;
    if view.repository.root.exists() {
        return Ok(keeper.drop_databases(&view));
    }
    Ok(Err(ErrorBody {
        code: "gc.repository_gone".to_owned(),
        message: "its repository is gone, and with it the command that drops its databases"
            .to_owned(),
        hint: Some("drop them by hand; `orchestra session forget` forgets the session".to_owned()),
    }))
}
