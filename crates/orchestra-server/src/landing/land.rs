//! Several sessions that land together, on the wire.

use orchestra_api::{ErrorBody, LandAnswer};
use orchestra_core::SessionId;
use orchestra_engine::{Engine, EngineError, LandRow, LandState};

use super::merge::{afterwards, afterwards_failure, error_body, merge_row};
use crate::wire;

/// Pairs of which the second lands first: one that comes before a session, or before all of them.
#[must_use]
pub fn dependencies(
    later: Option<SessionId>,
    earlier: &SessionId,
    sessions: &[SessionId],
) -> Vec<(SessionId, SessionId)> {
    if let Some(later) = later {
        return vec![(later, earlier.clone())];
    }
    let others = sessions.iter().filter(|id| *id != earlier);
    others.map(|id| (id.clone(), earlier.clone())).collect()
}

/// What became of sessions that should land together.
///
/// # Errors
/// If the store cannot be read.
pub fn land_answer(engine: &Engine, rows: &[LandRow]) -> Result<LandAnswer, EngineError> {
    Ok(LandAnswer {
        seq: engine.last_seq()?,
        complete: rows.iter().all(has_landed),
        sessions: rows.iter().map(|row| land_row(engine, row)).collect(),
        error: rows.iter().find_map(failure),
    })
}

/// Why a session could not land, or what followed failed.
fn failure(row: &LandRow) -> Option<ErrorBody> {
    let id = &row.session;
    match &row.state {
        LandState::Failed(error) => Some(error_body(error)),
        LandState::ScriptFailed(_) => Some(ErrorBody {
            code: "script.failed".to_owned(),
            message: format!("the script of {} failed on the combined files", row.name),
            hint: Some(format!(
                "`orchestra session log {id}` says where its output is"
            )),
        }),
        LandState::Landed(done) => afterwards_failure(id, &done.afterwards),
        LandState::LandedBefore { .. } | LandState::Waiting => None,
    }
}

fn has_landed(row: &LandRow) -> bool {
    matches!(
        row.state,
        LandState::Landed(_) | LandState::LandedBefore { .. }
    )
}

fn land_row(engine: &Engine, row: &LandRow) -> orchestra_api::LandRow {
    let mut shown = orchestra_api::LandRow {
        session_id: row.session.clone(),
        session_name: row.name.to_string(),
        state: orchestra_api::LandState::Waiting,
        commit: None,
        merge: None,
        afterwards: orchestra_api::Afterwards::default(),
        script_run: None,
        error: None,
    };
    match &row.state {
        LandState::Landed(done) => {
            shown.state = orchestra_api::LandState::Landed;
            shown.commit = Some(done.merged.commit.to_string());
            shown.merge = Some(merge_row(&done.merged));
            shown.afterwards = afterwards(engine, &done.afterwards);
        }
        LandState::LandedBefore { commit } => {
            shown.state = orchestra_api::LandState::LandedBefore;
            shown.commit = Some(commit.to_string());
        }
        LandState::Failed(error) => {
            shown.state = orchestra_api::LandState::Failed;
            shown.error = Some(error_body(error));
        }
        LandState::ScriptFailed(run) => {
            shown.state = orchestra_api::LandState::Failed;
            shown.script_run = Some(wire::script_run(engine, run));
        }
        LandState::Waiting => {}
    }
    shown
}
