//! Engine values as wire types.

use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use orchestra_api::{
    Call, Commit, CommitName, Conflict, ConflictStage, FileChange, FileDiff, IterationAnswer,
    OutputLine, PortLease, ProjectCommand, PushState, QueueRow, ScriptAnswer, ScriptRun, Session,
    SessionAnswer, TrashRow,
};
use orchestra_core::{
    ConflictClass, Event, EventBody, Iteration, IterationNumber, ServerState, SessionId,
};
use orchestra_engine::{
    CommitInfo, ConflictedFile, Engine, EngineError, FilePatch, OutputPiece, Patch, SessionView,
    Stage, Work,
};

/// A session as it is now.
pub fn answer(engine: &Engine, id: &SessionId) -> Result<SessionAnswer, EngineError> {
    // What happens meanwhile may be included too; it comes again to whoever follows from here.
    let seq = engine.last_seq()?;
    let view = engine.session(id)?;
    Ok(SessionAnswer {
        seq,
        session: session(engine, &view),
    })
}

/// The same after git was asked, whether something is uncommitted too.
pub fn fresh_answer(engine: &Engine, id: &SessionId) -> Result<SessionAnswer, EngineError> {
    engine.refresh(id)?;
    answer(engine, id)
}

/// An iteration, and its session as it is now.
pub fn iteration(engine: &Engine, iteration: &Iteration) -> Result<IterationAnswer, EngineError> {
    let SessionAnswer { seq, session } = answer(engine, &iteration.session)?;
    Ok(IterationAnswer {
        seq,
        session,
        iteration: iteration.into(),
    })
}

/// A line of an agent, as text where it is some.
pub fn output(iteration: IterationNumber, piece: OutputPiece<'_>) -> OutputLine {
    let text = std::str::from_utf8(piece.bytes).ok();
    OutputLine {
        iteration: iteration.0,
        stream: piece.stream.name(),
        line: piece.line,
        text: text.map(str::to_owned),
        base64: text.is_none().then(|| BASE64_STANDARD.encode(piece.bytes)),
        ends_line: piece.ends_line,
    }
}

/// What somebody other than the user asked for, if that is what happened.
pub fn calls(events: &[Event]) -> Vec<Call> {
    let mut calls: Vec<(u64, Call)> = Vec::new();
    for event in events {
        match &event.body {
            EventBody::ToolCalled {
                caller,
                tool,
                refused,
            } => {
                let call = Call {
                    caller: caller.clone(),
                    tool: tool.clone(),
                    refused: refused.clone(),
                    failed: None,
                    at: event.at,
                };
                calls.push((event.seq, call));
            }
            EventBody::ToolFailed { call, code } => {
                let known = calls.iter_mut().find(|(seq, _)| seq == call);
                known
                    .into_iter()
                    .for_each(|(_, it)| it.failed = Some(code.clone()));
            }
            _ => {}
        }
    }
    calls.into_iter().map(|(_, call)| call).collect()
}

/// A run of a script, and its session as it is now.
pub fn script(
    engine: &Engine,
    run: &orchestra_core::ScriptRun,
) -> Result<ScriptAnswer, EngineError> {
    let SessionAnswer { seq, session } = answer(engine, &run.session)?;
    Ok(ScriptAnswer {
        seq,
        session,
        script_run: script_run(engine, run),
    })
}

/// Ports, and the servers that use them.
pub fn ports(
    ports: Vec<orchestra_core::PortLease>,
    servers: &[orchestra_core::ScriptRun],
) -> Vec<PortLease> {
    let ports = ports.into_iter().map(|lease| {
        let server = server_of(&lease, servers);
        let name = server.map(|run| run.script.clone());
        PortLease::new(lease, name)
    });
    ports.collect()
}

/// The server that listens on a port of a block: one that is not ready may not, or not yet.
pub fn server_of<'a>(
    lease: &orchestra_core::PortLease,
    servers: &'a [orchestra_core::ScriptRun],
) -> Option<&'a orchestra_core::ScriptRun> {
    let is_ready =
        |run: &&orchestra_core::ScriptRun| ServerState::of(run) == Some(ServerState::Ready);
    servers.iter().filter(is_ready).find(|run| {
        let port = run.server.as_ref().and_then(|server| server.port);
        run.session == lease.session && port.is_some_and(|port| lease.ports().any(|it| it == port))
    })
}

pub fn session(engine: &Engine, view: &SessionView) -> Session {
    let (script_run, setup_run) = (view.script_run.as_ref(), view.setup_run.as_ref());
    Session {
        setup: view.setup.name(),
        setup_run: setup_run.map(|run| self::script_run(engine, run)),
        script_run: script_run.map(|run| self::script_run(engine, run)),
        servers: view
            .servers
            .iter()
            .map(|run| self::script_run(engine, run))
            .collect(),
        other_checkout: view.other_checkout().cloned(),
        disk: view.disk.map(Into::into),
        questions: view.questions.iter().map(Into::into).collect(),
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

pub fn project_commands(
    engine: &Engine,
    commands: &[orchestra_engine::ProjectCommand],
) -> Vec<ProjectCommand> {
    let row = |it: &orchestra_engine::ProjectCommand| ProjectCommand {
        setting: it.setting.clone(),
        command: engine.redact(&it.command),
        permission: it.permission.name(),
    };
    commands.iter().map(row).collect()
}

pub fn trash_row(row: &orchestra_engine::TrashRow) -> TrashRow {
    let (entry, record) = (&row.entry, &row.entry.record);
    TrashRow {
        name: entry.name.to_string(),
        session_id: record.session.clone(),
        session_name: record.session_name.to_string(),
        branch: record.branch.to_string(),
        path: record.path.clone(),
        repo_root: row.repository.root.clone(),
        why: record.why.clone(),
        bytes: row.bytes,
        is_whole: entry.is_whole(),
        trashed_at: record.trashed_at,
        kept_until: row.kept_until,
    }
}

pub fn push_state(state: &orchestra_engine::PushState) -> PushState {
    PushState {
        remote: state.remote.to_string(),
        commit: state.commit.to_string(),
        ahead: state.ahead,
        behind: state.behind,
        pushed_at: state.pushed_at,
    }
}

pub fn commit_name(commit: &CommitInfo) -> CommitName {
    CommitName {
        id: commit.id.to_string(),
        subject: commit.subject.clone(),
    }
}

pub fn conflict(file: &ConflictedFile) -> Conflict {
    let class = file.class();
    let install_command = match &class {
        ConflictClass::Lockfile { manager } => Some(manager.install_command().to_owned()),
        ConflictClass::Migration { .. } | ConflictClass::Ordinary => None,
    };
    Conflict {
        path: file.path.clone(),
        kind: file.kind(),
        content: file.content(),
        class,
        install_command,
        base: file.base.as_ref().map(stage),
        ours: file.ours.as_ref().map(stage),
        theirs: file.theirs.as_ref().map(stage),
    }
}

fn stage(stage: &Stage) -> ConflictStage {
    ConflictStage {
        mode: stage.mode,
        object: stage.object.to_string(),
    }
}

pub fn work(engine: &Engine, view: &SessionView, work: &Work) -> QueueRow {
    let session_id = work.session().clone();
    let session_name = view.session.name.to_string();
    let session_status = view.status;
    match work {
        Work::Iteration(iteration) => QueueRow::Iteration {
            session_id,
            session_name,
            session_status,
            iteration: Box::new(iteration.as_ref().into()),
        },
        Work::Script(run) => QueueRow::Script {
            session_id,
            session_name,
            session_status,
            script_run: Box::new(script_run(engine, run)),
        },
    }
}

pub fn script_run(engine: &Engine, run: &orchestra_core::ScriptRun) -> ScriptRun {
    ScriptRun::new(run, engine.script_log(run))
}

pub fn file_change(change: &orchestra_engine::FileChange) -> FileChange {
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

pub fn file_patch(file: &FilePatch) -> FileDiff {
    let diff = FileDiff::without_patch(file_change(&file.change));
    match &file.patch {
        Patch::Whole(bytes) => FileDiff {
            patch: Some(String::from_utf8_lossy(bytes).into_owned()),
            ..diff
        },
        Patch::TooLarge => FileDiff {
            patch_too_large: true,
            ..diff
        },
    }
}

pub fn commit(commit: &CommitInfo) -> Commit {
    Commit {
        id: commit.id.to_string(),
        short: commit.id.short().to_owned(),
        subject: commit.subject.clone(),
        author: commit.author.name.clone(),
        at: commit.at,
        files: commit.files.iter().map(file_change).collect(),
    }
}

pub fn removed_data(row: &orchestra_engine::RemovedRow) -> orchestra_api::RemovedData {
    orchestra_api::RemovedData {
        session_id: row.session.clone(),
        session_name: row.name.to_string(),
        kind: row.kind,
        items: row.amount.items,
        files: row.amount.files.len(),
        bytes: row.amount.bytes,
    }
}

/// Files that were collected into a folder.
pub fn artifacts(
    artifacts: Vec<orchestra_core::Artifact>,
    folder: &Path,
) -> Vec<orchestra_api::Artifact> {
    let artifacts = artifacts.into_iter();
    artifacts
        .map(|artifact| orchestra_api::Artifact::new(artifact, folder))
        .collect()
}
