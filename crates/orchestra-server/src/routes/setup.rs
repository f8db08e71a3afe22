//! The set-up of a session, which makes its worktree ready.

use axum::extract::State;
use orchestra_api::requests::StartSetup;
use orchestra_api::{ScriptAnswer, SetupAnswer};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, accepted, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::extract::{Body, Path};
use crate::{consent, wire};

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new().routes(routes!(get_setup, start_setup))
}

/// Look at the set-up of a session
///
/// What it printed is the output of its script run.
#[utoipa::path(
    get, path = "/sessions/{session}/setup", tag = "scripts",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = SetupAnswer), Failures),
)]
async fn get_setup(State(desk): State<Desk>, Path(session): Path<String>) -> Answer<SetupAnswer> {
    let look = desk.look_at_session(session, |engine, view| {
        let seq = engine.last_seq()?;
        let commands = engine.setup_commands(Some(view.repository.id))?;
        let run = view.running_setup().or(view.setup_run.as_ref());
        Ok(SetupAnswer {
            seq,
            session_id: view.session.id.clone(),
            state: view.setup.name(),
            script_run: run.map(|run| wire::script_run(engine, run)),
            commands: wire::project_commands(engine, &commands),
        })
    });
    answer(look.await?)
}

/// Make a session's worktree ready: ignored files, databases, then the command in commands.setup
///
/// One that runs already goes on.
#[utoipa::path(
    post, path = "/sessions/{session}/setup", tag = "scripts", request_body = StartSetup,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = ScriptAnswer), Failures),
)]
async fn start_setup(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<StartSetup>,
) -> Answer<ScriptAnswer> {
    let act = desk.act_in_session(session, move |engine, view| {
        if let Some(run) = view.running_setup() {
            return Ok(wire::script(engine, run)?);
        }
        let repository = &view.repository;
        if request.allow_commands {
            let commands = engine.setup_commands(Some(repository.id))?;
            consent::allow(engine, &repository.root, commands)?;
        }
        let run = engine.start_setup(&view.session.id)?;
        Ok(wire::script(engine, &run)?)
    });
    accepted(act.await?)
}
