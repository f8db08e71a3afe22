//! Agents and their environments: which there are, what they can do, whether they work, what they get.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use orchestra_api::requests::TestAgent;
use orchestra_api::{Agent, AgentCommand, AgentList, AgentTrial, EnvironmentList, JobAnswer};
use orchestra_engine::{Engine, EngineError, ErrorClass};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::settings::Whose;
use crate::answer::{Answer, Started, answer, started};
use crate::desk::{Desk, JobOrder};
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path, Query};
use crate::{agent, session_field};

/// How long a test turn may take if nobody says.
const TEST: Duration = Duration::from_secs(180);

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_agents))
        .routes(routes!(get_agent))
        .routes(routes!(test_agent))
        .routes(routes!(list_environments))
        .routes(routes!(get_agent_command))
}

/// List the agents: whether they are installed and logged in, and what they can do
#[utoipa::path(
    get, path = "/agents", tag = "agents", params(Whose),
    responses((status = 200, body = AgentList), Failures),
)]
async fn list_agents(State(desk): State<Desk>, Query(whose): Query<Whose>) -> Answer<AgentList> {
    let look = desk.look_in_repository(whose.repository, |engine, _| {
        let agents = engine.agent_details().into_iter();
        Ok(AgentList {
            agents: agents.map(agent::agent).collect(),
        })
    });
    answer(look.await?)
}

/// Look at one agent, and how to log in
#[utoipa::path(
    get, path = "/agents/{agent}", tag = "agents",
    params(("agent" = String, Path, description = "Its name"), Whose),
    responses((status = 200, body = Agent), Failures),
)]
async fn get_agent(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    Query(whose): Query<Whose>,
) -> Answer<Agent> {
    let look = desk.look_in_repository(whose.repository, move |engine, _| {
        let details = engine.agent_details_of(&name).map_err(missing)?;
        Ok(agent::agent(details))
    });
    answer(look.await?)
}

/// Let an agent answer once, in an empty repository that is thrown away
///
/// It is a real turn: it may cost what a short question costs. The job succeeds with an `AgentTrial`, which says whether the
/// agent answered.
#[utoipa::path(
    post, path = "/agents/{agent}/test", tag = "agents", request_body = TestAgent,
    params(("agent" = String, Path, description = "Its name"), Whose),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn test_agent(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    Query(whose): Query<Whose>,
    Body(request): Body<TestAgent>,
) -> Result<Started, ApiError> {
    let given = request.timeout.as_deref().map(session_field::duration);
    let timeout = given.transpose()?.unwrap_or(TEST);
    let asked = name.clone();
    desk.look_in_repository(whose.repository.clone(), move |engine, _| {
        engine.agent_details_of(&asked).map_err(missing)?;
        Ok(())
    })
    .await?;
    let order = JobOrder {
        operation: "test_agent",
        session: None,
    };
    started(desk.start_job(order, move |desk, progress| {
        progress.step(format!("asking {name}"));
        let path = whose.repository.as_deref();
        desk.act_now_in(path, |engine, _| test(engine, &name, timeout))
    })?)
}

fn test(engine: &Engine, name: &str, timeout: Duration) -> Result<AgentTrial, ApiError> {
    let trial = engine.try_agent(name, timeout, &mut |_| {})?;
    Ok(agent::trial(name, trial))
}

/// List the environments that agents can run in
#[utoipa::path(
    get, path = "/environments", tag = "agents", params(Whose),
    responses((status = 200, body = EnvironmentList), Failures),
)]
async fn list_environments(
    State(desk): State<Desk>,
    Query(whose): Query<Whose>,
) -> Answer<EnvironmentList> {
    let look = desk.look_in_repository(whose.repository, |engine, _| {
        let environments = engine.environments();
        Ok(EnvironmentList {
            environments: environments.iter().map(agent::environment).collect(),
        })
    });
    answer(look.await?)
}

/// Exactly what the agent of a session would be started with
///
/// Secrets are shown as `***`, with the place they come from.
#[utoipa::path(
    get, path = "/sessions/{session}/agent-command", tag = "agents",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = AgentCommand), Failures),
)]
async fn get_agent_command(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<AgentCommand> {
    let look = desk.look_at_session(session, |engine, view| {
        Ok(agent::command(&engine.show_command(&view.session.id)?))
    });
    answer(look.await?)
}

/// One that is not there has an address at which nothing is.
fn missing(error: EngineError) -> ApiError {
    let is_missing = error.class() == ErrorClass::Usage;
    let mut error = ApiError::from(error);
    if is_missing {
        error.status = StatusCode::NOT_FOUND;
    }
    error
}
