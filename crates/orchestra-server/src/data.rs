//! What is kept of sessions' runs: where it is, a copy of it, and its removal.

mod export;

use std::time::Duration;

use orchestra_api::{DataPlace, DataReport, PurgeReport};
use orchestra_core::{DataKind, SessionId, Timestamp};
use orchestra_engine::{
    Clock, Engine, EngineError, KeptData, ListRequest, Removed, RemovedRow, SessionView,
};

pub use export::export;

use crate::wire;

/// Where data lies, and how much it is.
pub fn report(engine: &Engine, kept: &KeptData) -> Result<DataReport, EngineError> {
    let places = kept.places.iter().map(|place| DataPlace {
        what: place.what,
        path: place.path.clone(),
        bytes: place.bytes,
    });
    Ok(DataReport {
        seq: engine.last_seq()?,
        directory: kept.root.clone(),
        places: places.collect(),
        bytes: kept.places.iter().map(|place| place.bytes).sum(),
        open_to_others: kept.open_to_others.clone(),
    })
}

/// Whose data is meant.
#[derive(Debug, Clone)]
pub enum Owners {
    /// These sessions; one at work is refused.
    These(Vec<SessionId>),
    /// Every session that was not used for so long; those at work are left alone.
    Unused(Duration),
    /// Every session; those at work are left alone.
    All,
}

/// What would be removed, and who is left alone.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// By session and kind.
    pub rows: Vec<RemovedRow>,
    /// Sessions that something works on.
    pub skipped: Vec<SessionId>,
}

/// What a removal would take. Nothing is done.
pub fn plan(engine: &Engine, owners: &Owners, kinds: &[DataKind]) -> Result<Plan, EngineError> {
    let mut plan = Plan::default();
    if let Owners::These(sessions) = owners {
        for id in sessions {
            plan.rows.extend(engine.plan_removal(id, kinds)?);
        }
        return Ok(plan);
    }
    for view in every_session(engine)?.iter().filter(|it| owners.mean(it)) {
        let id = &view.session.id;
        match engine.plan_removal(id, kinds) {
            Err(EngineError::Busy { .. } | EngineError::WrongState { .. }) => {
                plan.skipped.push(id.clone());
            }
            rows => plan.rows.extend(rows?),
        }
    }
    Ok(plan)
}

impl Owners {
    fn mean(&self, view: &SessionView) -> bool {
        let Self::Unused(age) = self else {
            return true;
        };
        let session = &view.session;
        let used: Timestamp = session.last_run.unwrap_or(session.created_at);
        let unused = Clock::System.now().duration_since(used);
        unused.is_positive() && unused.unsigned_abs() >= *age
    }
}

/// What was removed, or would be.
pub fn purge_report(
    engine: &Engine,
    removed: &Removed,
    skipped: Vec<SessionId>,
    dry_run: bool,
) -> Result<PurgeReport, EngineError> {
    Ok(PurgeReport {
        seq: engine.last_seq()?,
        dry_run,
        removed: removed.rows.iter().map(wire::removed_data).collect(),
        bytes: removed.bytes(),
        skipped,
        problems: removed.problems.clone(),
    })
}

/// Every session, those that were put away included.
pub fn every_session(engine: &Engine) -> Result<Vec<SessionView>, EngineError> {
    let request = ListRequest {
        archived: true,
        ..ListRequest::default()
    };
    Ok(engine.list_sessions(&request)?.sessions)
}
