//! Answers about what was done in a session: commits, the log, the guard, servers and artifacts.

use std::path::{Path, PathBuf};

use orchestra_api::{
    ArtifactsAnswer, Committed, GuardAnswer, LeftOut, ServerAnswer, SessionAnswer, SessionLog,
};
use orchestra_core::{Artifact, IterationNumber, ScriptRun, SessionId};
use orchestra_engine::{Collected, CommitDone, Engine, EngineError, GuardReport, SessionView};

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
        calls: wire::calls(&calls),
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

/// A server that was started, stopped or followed.
pub fn server(
    engine: &Engine,
    id: &SessionId,
    run: Option<&ScriptRun>,
    was_running: bool,
    notes: &[String],
) -> Result<ServerAnswer, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, id)?;
    Ok(ServerAnswer {
        seq,
        session,
        script_run: run.map(|run| wire::script_run(engine, run)),
        was_running,
        notes: notes.to_vec(),
    })
}

/// A server that was stopped, or did not run.
pub fn stopped_server(
    engine: &Engine,
    view: &SessionView,
    name: &str,
    stopped: Option<&ScriptRun>,
) -> Result<ServerAnswer, EngineError> {
    let known = view.servers.iter().find(|run| run.script == name);
    let run = stopped.or(known);
    server(engine, &view.session.id, run, stopped.is_some(), &[])
}

/// What was collected from a session's worktree before.
pub fn artifacts(
    engine: &Engine,
    id: &SessionId,
    artifacts: Vec<Artifact>,
    folder: &Path,
) -> Result<ArtifactsAnswer, EngineError> {
    artifacts_answer(engine, id, None, (artifacts, folder), Vec::new())
}

/// What was collected from it now.
pub fn collected(
    engine: &Engine,
    id: &SessionId,
    done: Collected,
) -> Result<ArtifactsAnswer, EngineError> {
    let artifacts = (done.artifacts, done.folder.as_path());
    artifacts_answer(engine, id, Some(done.files), artifacts, done.left_out)
}

fn artifacts_answer(
    engine: &Engine,
    id: &SessionId,
    collected: Option<usize>,
    (artifacts, folder): (Vec<Artifact>, &Path),
    left_out: Vec<(PathBuf, String)>,
) -> Result<ArtifactsAnswer, EngineError> {
    let SessionAnswer { seq, session } = wire::answer(engine, id)?;
    let left_out = left_out.into_iter();
    Ok(ArtifactsAnswer {
        seq,
        session,
        collected,
        artifacts: wire::artifacts(artifacts, folder),
        left_out: left_out.map(|(path, why)| LeftOut { path, why }).collect(),
    })
}
