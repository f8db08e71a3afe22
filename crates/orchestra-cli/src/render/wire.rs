//! Engine values as wire types.

use orchestra_api::{Commit, FileChange, QueueRow, ScriptRun, Session};
use orchestra_core::SessionId;
use orchestra_engine::{CommitInfo, SessionLog, SessionView, Work};

use crate::context::Context;

pub(crate) fn session(context: &Context, view: &SessionView) -> Session {
    let script_run = view.script_run.as_ref();
    Session {
        script_run: script_run.map(|run| self::script_run(context, run)),
        other_checkout: view.other_checkout().cloned(),
        ..Session::new(
            &view.session,
            &view.repository,
            view.status,
            view.needs_user(),
            view.iteration.as_ref(),
            view.git.as_ref(),
        )
    }
}

pub(crate) fn work(context: &Context, work: &Work) -> QueueRow {
    let session = work.session().clone();
    match work {
        Work::Iteration(iteration) => QueueRow {
            session,
            kind: "iteration",
            iteration: Some(iteration.as_ref().into()),
            script_run: None,
        },
        Work::Script(run) => QueueRow {
            session,
            kind: "script",
            iteration: None,
            script_run: Some(script_run(context, run)),
        },
    }
}

pub(crate) fn script_run(context: &Context, run: &orchestra_core::ScriptRun) -> ScriptRun {
    ScriptRun::new(run, context.engine.script_log(run))
}

pub(crate) fn file_change(change: &orchestra_engine::FileChange) -> FileChange {
    FileChange {
        path: change.path.to_string_lossy().into_owned(),
        original: change
            .original
            .as_ref()
            .map(|path| path.to_string_lossy().into_owned()),
        kind: change.kind.letter(),
        insertions: change.insertions,
        deletions: change.deletions,
    }
}

pub(crate) fn log(
    context: &Context,
    id: &SessionId,
    log: &SessionLog,
) -> orchestra_api::SessionLog {
    orchestra_api::SessionLog {
        seq: log.seq,
        session: id.clone(),
        commits: log.commits.iter().map(commit).collect(),
        iterations: log.iterations.iter().map(Into::into).collect(),
        script_runs: log
            .script_runs
            .iter()
            .map(|run| script_run(context, run))
            .collect(),
    }
}

fn commit(commit: &CommitInfo) -> Commit {
    Commit {
        id: commit.id.to_string(),
        short: commit.id.short().to_owned(),
        subject: commit.subject.clone(),
        author: commit.author.name.clone(),
        at: commit.at,
        files: commit.files.iter().map(file_change).collect(),
    }
}
