//! Servers of a session: scripts that stay, such as a dev server.

use std::collections::BTreeSet;

use axum::extract::State;
use orchestra_api::requests::StartServer;
use orchestra_api::{JobAnswer, ServerAnswer, ServerList, ServerRow};
use orchestra_core::SessionId;
use orchestra_engine::{Engine, SessionView, SetupNeed, StartedServer};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, Started, accepted, answer, started};
use crate::desk::{Desk, JobOrder};
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path};
use crate::{consent, review, wire};

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_servers))
        .routes(routes!(start_server))
        .routes(routes!(restart_server))
        .routes(routes!(stop_server))
}

/// List the servers of a session, with their addresses
#[utoipa::path(
    get, path = "/sessions/{session}/servers", tag = "servers",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = ServerList), Failures),
)]
async fn list_servers(State(desk): State<Desk>, Path(session): Path<String>) -> Answer<ServerList> {
    let look = desk.look_at_session(session, |engine, view| {
        let seq = engine.last_seq()?;
        let named = engine.settings().settings.servers.keys().cloned();
        let ran = view.servers.iter().map(|run| run.script.clone());
        let names: BTreeSet<String> = named.chain(ran).collect();
        let run_of = |name: &str| view.servers.iter().find(|run| run.script == name);
        let row = |name: String| ServerRow {
            script_run: run_of(&name).map(|run| wire::script_run(engine, run)),
            name,
        };
        Ok(ServerList {
            seq,
            session_id: view.session.id.clone(),
            servers: names.into_iter().map(row).collect(),
        })
    });
    answer(look.await?)
}

/// Start a server, unless it runs
///
/// It may not be ready when this answers: the event stream and its `server.state` tell when it is.
#[utoipa::path(
    post, path = "/sessions/{session}/servers/{server}/start", tag = "servers", request_body = StartServer,
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("server" = String, Path, description = "Its name in the settings"),
    ),
    responses((status = 202, body = ServerAnswer), Failures),
)]
async fn start_server(
    State(desk): State<Desk>,
    Path((session, name)): Path<(String, String)>,
    Body(request): Body<StartServer>,
) -> Answer<ServerAnswer> {
    let act = desk.act_in_session(session, move |engine, view| {
        let begun = match view.running_server(&name) {
            Some(run) => StartedServer {
                run: run.clone(),
                was_running: true,
                notes: Vec::new(),
            },
            None => start(engine, view, &name, &request)?,
        };
        begun_answer(engine, &begun)
    });
    accepted(act.await?)
}

/// Stop a server and start it again
///
/// One that runs is not ended for one that could not begin.
#[utoipa::path(
    post, path = "/sessions/{session}/servers/{server}/restart", tag = "servers", request_body = StartServer,
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("server" = String, Path, description = "Its name in the settings"),
    ),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn restart_server(
    State(desk): State<Desk>,
    Path((session, name)): Path<(String, String)>,
    Body(request): Body<StartServer>,
) -> Result<Started, ApiError> {
    let id = require_known(&desk, &session, &name).await?;
    let order = JobOrder {
        operation: "restart_server",
        session: Some(id),
    };
    started(desk.start_job(order, move |desk, _| {
        desk.act_now(&session, |engine, view| {
            let id = &view.session.id;
            allow(engine, view, &name, &request)?;
            let need = SetupNeed::waived_if(request.without_setup);
            engine.require_startable(id, &name, need)?;
            let before = engine.stop_server(id, &name)?;
            let begun = engine.start_server(id, &name, need)?;
            let begun = StartedServer {
                was_running: before.is_some(),
                ..begun
            };
            begun_answer(engine, &begun)
        })
    })?)
}

/// Stop a server
#[utoipa::path(
    post, path = "/sessions/{session}/servers/{server}/stop", tag = "servers",
    params(
        ("session" = String, Path, description = "Id, unique prefix or name"),
        ("server" = String, Path, description = "Its name"),
    ),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn stop_server(
    State(desk): State<Desk>,
    Path((session, name)): Path<(String, String)>,
) -> Result<Started, ApiError> {
    let id = require_known(&desk, &session, &name).await?;
    let order = JobOrder {
        operation: "stop_server",
        session: Some(id),
    };
    started(desk.start_job(order, move |desk, _| {
        desk.act_now(&session, |engine, view| {
            let stopped = engine.stop_server(&view.session.id, &name)?;
            Ok(review::stopped_server(
                engine,
                view,
                &name,
                stopped.as_ref(),
            )?)
        })
    })?)
}

fn start(
    engine: &Engine,
    view: &SessionView,
    name: &str,
    request: &StartServer,
) -> Result<StartedServer, ApiError> {
    require_server(engine, view, name)?;
    allow(engine, view, name, request)?;
    let need = SetupNeed::waived_if(request.without_setup);
    Ok(engine.start_server(&view.session.id, name, need)?)
}

/// The session, if it has such a server: what is refused at once needs no job.
async fn require_known(desk: &Desk, session: &str, name: &str) -> Result<SessionId, ApiError> {
    let name = name.to_owned();
    let look = desk.look_at_session(session.to_owned(), move |engine, view| {
        require_server(engine, view, &name)?;
        Ok(view.session.id.clone())
    });
    look.await
}

/// One that ran is a server whatever the settings say by now.
fn require_server(engine: &Engine, view: &SessionView, name: &str) -> Result<(), ApiError> {
    let ran = view.servers.iter().any(|run| run.script == name);
    match ran || engine.is_server(name) {
        true => Ok(()),
        false => Err(ApiError::not_found(
            "server.not_found",
            format!("there is no server `{name}`"),
            format!("a table [servers.{name}] in .orchestra/config.toml makes a script one"),
        )),
    }
}

fn allow(
    engine: &Engine,
    view: &SessionView,
    name: &str,
    request: &StartServer,
) -> Result<(), ApiError> {
    let command = engine.script_command(&view.session, Some(name))?;
    match request.allow_commands {
        true => consent::allow(engine, &view.repository.root, vec![command]),
        false => Ok(()),
    }
}

fn begun_answer(engine: &Engine, begun: &StartedServer) -> Result<ServerAnswer, ApiError> {
    let StartedServer {
        run,
        was_running,
        notes,
    } = begun;
    Ok(review::server(
        engine,
        &run.session,
        Some(run),
        *was_running,
        notes,
    )?)
}
