//! What is looked at before work lands, and where it is pushed, on the wire.

use orchestra_api::{
    ApprovalAnswer, CheckAnswer, CheckRow, ConflictMatrix, ConflictPair, PushAnswer, SessionAnswer,
};
use orchestra_core::CheckLine;
use orchestra_engine::{
    CheckReport, Engine, EngineError, Matrix, MatrixCell, PushDone, SessionView,
};

use crate::{base_note, wire};

/// Whether a session may land.
///
/// # Errors
/// If the store cannot be read.
pub fn check_answer(engine: &Engine, report: &CheckReport) -> Result<CheckAnswer, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, &report.view.session.id)?;
    Ok(CheckAnswer {
        seq,
        session,
        into: report.into.to_string(),
        base_note: report.base.as_ref().and_then(base_note::landing_note),
        passes: report.passes(),
        checks: report.lines.iter().map(|line| row(report, line)).collect(),
    })
}

fn row(report: &CheckReport, line: &CheckLine) -> CheckRow {
    CheckRow {
        name: line.name,
        state: line.state,
        required: report.required.contains(&line.name),
        text: line.text.clone(),
        hint: line.hint.clone(),
    }
}

/// A session that was approved, or whose approval was taken back.
///
/// # Errors
/// If the store cannot be read.
pub fn approval_answer(engine: &Engine, view: &SessionView) -> Result<ApprovalAnswer, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, &view.session.id)?;
    Ok(ApprovalAnswer {
        seq,
        session,
        approval: view.session.approval.as_ref().map(Into::into),
    })
}

/// Which sessions get into each other's way.
#[must_use]
pub fn conflict_matrix(engine: &Engine, matrix: &Matrix) -> ConflictMatrix {
    let sessions = matrix.sessions.iter();
    ConflictMatrix {
        seq: matrix.seq,
        sessions: sessions.map(|view| wire::session(engine, view)).collect(),
        pairs: matrix.cells.iter().map(pair).collect(),
    }
}

fn pair(cell: &MatrixCell) -> ConflictPair {
    let files = cell.files.iter();
    ConflictPair {
        session_id: cell.session.clone(),
        other_id: cell.other.clone(),
        files: files
            .map(|path| path.to_string_lossy().into_owned())
            .collect(),
        base_is_gone: cell.base_is_gone,
        migrations: cell.clashes.migrations.clone(),
        case_clashes: cell.clashes.case.clone(),
    }
}

/// A session that was pushed.
///
/// # Errors
/// If the store cannot be read.
pub fn push_answer(engine: &Engine, done: &PushDone) -> Result<PushAnswer, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, &done.view.session.id)?;
    let push = &done.push;
    Ok(PushAnswer {
        seq,
        session,
        remote: push.remote.to_string(),
        branch: push.branch.to_string(),
        commit: push.commit.to_string(),
        how: done.how,
    })
}
