//! Runs of scripts: list, start, look, stop, and what they print while they run.

use std::time::{Duration, Instant};

use axum::extract::State;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use orchestra_api::requests::{StartScript, StopWork};
use orchestra_api::{ScriptAnswer, ScriptOutput, ScriptRunList};
use orchestra_core::ScriptRun;
use orchestra_engine::{Control, Engine, SessionView, SetupNeed, Work};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, accepted, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path, Query, within};
use crate::{consent, wire};

const USUAL: usize = 100;
const MOST: usize = 1_000;
const USUAL_BYTES: u64 = 64 * 1024;
const MOST_BYTES: u64 = 1024 * 1024;
const LONGEST_WAIT: u64 = 60_000;
/// How often a log is looked at that somebody waits for.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_script_runs, start_script))
        .routes(routes!(get_script_run))
        .routes(routes!(stop_script_run))
        .routes(routes!(get_script_output))
}

/// Which runs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Part {
    /// Only runs before this one: the `next` of the last part.
    before: Option<i64>,
    /// At most this many.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// List the script runs of a session, newest first
#[utoipa::path(
    get, path = "/sessions/{session}/script-runs", tag = "scripts",
    params(("session" = String, Path, description = "Id, unique prefix or name"), Part),
    responses((status = 200, body = ScriptRunList), Failures),
)]
async fn list_script_runs(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(part): Query<Part>,
) -> Answer<ScriptRunList> {
    let look = desk.look_at_session(session, move |engine, view| {
        let seq = engine.last_seq()?;
        let runs = engine.script_runs(&view.session.id)?;
        let limit = within("limit", part.limit, USUAL, 1..=MOST)?;
        let is_before = |run: &&ScriptRun| part.before.is_none_or(|before| run.key < before);
        let mut rest = runs.iter().rev().filter(is_before);
        let shown: Vec<_> = rest.by_ref().take(limit).collect();
        let has_more = rest.next().is_some();
        Ok(ScriptRunList {
            seq,
            session_id: view.session.id.clone(),
            total: runs.len(),
            next: shown.last().filter(|_| has_more).map(|run| run.key),
            script_runs: shown
                .into_iter()
                .map(|run| wire::script_run(engine, run))
                .collect(),
        })
    });
    answer(look.await?)
}

/// Run a script in a session's worktree
///
/// It goes on in a process of its own, whatever becomes of this server.
#[utoipa::path(
    post, path = "/sessions/{session}/script-runs", tag = "scripts", request_body = StartScript,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = ScriptAnswer), Failures),
)]
async fn start_script(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<StartScript>,
) -> Answer<ScriptAnswer> {
    let act = desk.act_in_session(session, move |engine, view| {
        let name = request.script.as_deref();
        if let Some(name) = name.filter(|name| engine.is_server(name)) {
            return Err(is_server(name));
        }
        let command = engine.script_command(&view.session, name)?;
        if request.allow_commands {
            consent::allow(engine, &view.repository.root, vec![command])?;
        }
        let need = SetupNeed::waived_if(request.without_setup);
        let run = engine.start_script(&view.session.id, name, need)?;
        Ok(wire::script(engine, &run)?)
    });
    accepted(act.await?)
}

fn is_server(name: &str) -> ApiError {
    ApiError::invalid(
        format!("`{name}` is a server"),
        "start it among the servers of the session",
    )
}

/// Look at a run of a script
#[utoipa::path(
    get, path = "/sessions/{session}/script-runs/{run}", tag = "scripts",
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("run" = i64, Path, description = "Its id"),
    ),
    responses((status = 200, body = ScriptAnswer), Failures),
)]
async fn get_script_run(
    State(desk): State<Desk>,
    Path((session, key)): Path<(String, i64)>,
) -> Answer<ScriptAnswer> {
    let look = desk.look_at_session(session, move |engine, view| {
        Ok(wire::script(engine, &require_run(engine, view, key)?)?)
    });
    answer(look.await?)
}

/// Stop a run of a script
///
/// Answers once it was asked to stop; the event stream tells when it is over.
#[utoipa::path(
    post, path = "/sessions/{session}/script-runs/{run}/stop", tag = "scripts", request_body = StopWork,
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("run" = i64, Path, description = "Its id"),
    ),
    responses((status = 202, body = ScriptAnswer), Failures),
)]
async fn stop_script_run(
    State(desk): State<Desk>,
    Path((session, key)): Path<(String, i64)>,
    Body(request): Body<StopWork>,
) -> Answer<ScriptAnswer> {
    let act = desk.act_in_session(session, move |engine, view| {
        let run = require_run(engine, view, key)?;
        if run.finished.is_some() {
            return Err(ApiError::refused(
                "script.over",
                format!("run {key} is over"),
                "look at it to see how it ended",
            ));
        }
        let control = match request.now {
            true => Control::Kill,
            false => Control::Stop,
        };
        engine.stop_work(&work_of(engine, view, &run)?, control)?;
        Ok(wire::script(engine, &run)?)
    });
    accepted(act.await?)
}

/// A script that belongs to an iteration ends with what the iteration does.
fn work_of(engine: &Engine, view: &SessionView, run: &ScriptRun) -> Result<Work, ApiError> {
    Ok(match run.iteration {
        Some(number) => Work::Iteration(Box::new(engine.iteration(&view.session.id, number)?)),
        None => Work::Script(run.clone()),
    })
}

fn require_run(engine: &Engine, view: &SessionView, key: i64) -> Result<ScriptRun, ApiError> {
    let run = engine.find_script_run(&view.session.id, key)?;
    run.ok_or_else(|| {
        ApiError::not_found(
            "script_run.not_found",
            format!("the session has no script run {key}"),
            "list its script runs",
        )
    })
}

/// Which part of what a run printed.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Window {
    /// The byte it begins with: the `next` of the last part.
    offset: Option<u64>,
    /// Instead, the last part, if that is not everything.
    #[serde(default)]
    last: bool,
    /// At most this many bytes.
    #[param(minimum = 4, maximum = 1048576)]
    bytes: Option<u64>,
    /// Answer once there is something, the run is over, or after this many milliseconds.
    #[serde(default)]
    #[param(maximum = 60000)]
    wait_ms: u64,
}

/// Read what a script or a server prints, or wait for it
///
/// As its log has it, without secrets. Whoever asks again with `next` and `wait_ms` follows it while it runs.
#[utoipa::path(
    get, path = "/sessions/{session}/script-runs/{run}/output", tag = "scripts",
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("run" = i64, Path, description = "Its id"),
        Window,
    ),
    responses((status = 200, body = ScriptOutput), Failures),
)]
async fn get_script_output(
    State(desk): State<Desk>,
    Path((session, key)): Path<(String, i64)>,
    Query(window): Query<Window>,
) -> Answer<ScriptOutput> {
    let longest = Duration::from_millis(window.wait_ms.min(LONGEST_WAIT));
    let deadline = Instant::now() + longest;
    loop {
        let look = desk.look_at_session(session.clone(), move |engine, view| {
            output(engine, view, key, window)
        });
        let output = look.await?;
        let is_new = output.next > output.offset || output.is_end;
        if is_new || Instant::now() >= deadline {
            return answer(output);
        }
        tokio::select! {
            () = desk.feed.closed() => return answer(output),
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
    }
}

fn output(
    engine: &Engine,
    view: &SessionView,
    key: i64,
    window: Window,
) -> Result<ScriptOutput, ApiError> {
    // What is over has printed everything: asked before its log is read.
    let run = require_run(engine, view, key)?;
    let bytes = within("bytes", window.bytes, USUAL_BYTES, 4..=MOST_BYTES)?;
    let part = match (window.offset, window.last) {
        (offset, false) => engine.script_output(&run, offset.unwrap_or(0), bytes)?,
        (None, true) => engine.last_script_output(&run, bytes)?,
        (Some(_), true) => {
            return Err(ApiError::invalid(
                "a part is asked for in two ways",
                "give `offset`, or `last`",
            ));
        }
    };
    let next = part.offset + part.bytes.len() as u64;
    let (text, base64) = match String::from_utf8(part.bytes) {
        Ok(text) => (Some(text), None),
        Err(other) => (None, Some(BASE64_STANDARD.encode(other.as_bytes()))),
    };
    Ok(ScriptOutput {
        is_end: run.finished.is_some() && next >= part.total,
        script_run: wire::script_run(engine, &run),
        offset: part.offset,
        next,
        total: part.total,
        text,
        base64,
    })
}
