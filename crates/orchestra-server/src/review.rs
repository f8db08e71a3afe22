//! Answers about what was done in a session: commits, the log, the guard.

use orchestra_api::{Committed, GuardAnswer, SessionAnswer, SessionLog};
use orchestra_core::{IterationNumber, SessionId};
use orchestra_engine::{CommitDone, Engine, EngineError, GuardReport, SessionView};

use crate::wire;

/// Commits, iterations and script runs of a session.
pub fn log(engine: &Engine, view: &SessionView) -> Result<SessionLog, EngineError> {
    let log = engine.session_log(&view.session.id)?;
    let calls = engine.calls(&view.session.id)?;
    let runs = log.script_runs.iter();
    Ok(SessionLog {
        seq: log.seq,
        session: wire::session(engine, view),
        commits: log.commits.iter().map(wire::commit).collect(),
        iterations: log.iterations.iter().map(Into::into).collect(),
        script_runs: runs.map(|run| wire::script_run(engine, run)).collect(),
        calls: calls.iter().filter_map(wire::call).collect(),
    })
}

/// A commit that was made by hand.
pub fn committed(
    engine: &Engine,
    id: &SessionId,
    done: CommitDone,
) -> Result<Committed, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, id)?;
    Ok(Committed {
        seq,
        session,
        commit: done.commit.to_string(),
        files: done.changes.iter().map(wire::file_change).collect(),
        left_out: done.left_out,
        uncommitted: done.uncommitted,
    })
}

/// What changed outside of a session's worktree, and the number of the event log that is true at.
pub fn guard(
    engine: &Engine,
    id: &SessionId,
    iteration: Option<IterationNumber>,
) -> Result<(u64, Option<GuardReport>), EngineError> {
    let seq = engine.last_seq()?;
    Ok((seq, engine.guard_report(id, iteration)?))
}

/// The same for programs.
pub fn guard_answer(id: SessionId, seq: u64, report: Option<GuardReport>) -> GuardAnswer {
    GuardAnswer {
        seq,
        session_id: id,
        iteration: report.as_ref().map(|report| report.iteration.0),
        isolation: report.as_ref().map(|report| report.record.clone()),
        diff: report.map(|report| report.diff),
    }
}
