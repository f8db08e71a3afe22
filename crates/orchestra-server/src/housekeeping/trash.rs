//! The trash on the wire.

use std::path::PathBuf;
use std::time::Duration;

use orchestra_api::{
    Emptied, RestoreAnswer, RestoredBranch as Row, RestoredBranchState as State, TrashList,
};
use orchestra_core::Timestamp;
use orchestra_engine::{Engine, EngineError, Passage, RestoredBranch, RestoredSession, TrashRow};

use crate::wire;

/// What lies in the trash.
#[must_use]
pub fn trash_list(seq: u64, rows: &[TrashRow], damaged: Vec<PathBuf>) -> TrashList {
    TrashList {
        seq,
        trash: rows.iter().map(wire::trash_row).collect(),
        damaged,
    }
}

/// What has been there for as long at a moment.
#[must_use]
pub fn older(rows: Vec<TrashRow>, than: Option<Duration>, now: Timestamp) -> Vec<TrashRow> {
    let is_older = |row: &TrashRow| {
        let age = now.duration_since(row.entry.record.trashed_at);
        than.is_none_or(|than| !age.is_negative() && age.unsigned_abs() >= than)
    };
    rows.into_iter().filter(is_older).collect()
}

/// A worktree that came back.
///
/// # Errors
/// If the store cannot be read.
pub fn restored(engine: &Engine, done: &RestoredSession) -> Result<RestoreAnswer, EngineError> {
    let view = done.view.as_ref();
    Ok(RestoreAnswer {
        seq: engine.last_seq()?,
        session: view.map(|view| wire::session(engine, view)),
        path: done.path.clone(),
        branches: branches(&done.passage),
    })
}

fn branches(passage: &Passage) -> Vec<Row> {
    passage.restored.iter().filter_map(branch).collect()
}

fn branch(branch: &RestoredBranch) -> Option<Row> {
    let (name, state, commit) = match branch {
        RestoredBranch::None => return None,
        RestoredBranch::AsItWas(name) => (name, State::AsItWas, None),
        RestoredBranch::MadeAgain(name) => (name, State::MadeAgain, None),
        RestoredBranch::Lost { name, at } => (name, State::Lost, Some(at)),
        RestoredBranch::Moved { name, now } => (name, State::Moved, Some(now)),
    };
    Some(Row {
        name: name.to_string(),
        state,
        commit: commit.map(ToString::to_string),
    })
}

/// What would be deleted for good.
///
/// # Errors
/// If the store cannot be read.
pub fn foretold_emptying(engine: &Engine, rows: &[TrashRow]) -> Result<Emptied, EngineError> {
    Ok(Emptied {
        seq: engine.last_seq()?,
        dry_run: true,
        deleted: rows.iter().map(wire::trash_row).collect(),
        freed_bytes: rows.iter().filter_map(|row| row.bytes).sum(),
        problems: Vec::new(),
    })
}

/// What was deleted for good.
///
/// # Errors
/// If the store cannot be read.
pub fn emptied(engine: &Engine, done: orchestra_engine::Emptied) -> Result<Emptied, EngineError> {
    Ok(Emptied {
        seq: engine.last_seq()?,
        dry_run: false,
        deleted: done.deleted.iter().map(wire::trash_row).collect(),
        freed_bytes: done.bytes(),
        problems: done.problems,
    })
}
