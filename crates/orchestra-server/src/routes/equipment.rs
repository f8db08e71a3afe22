//! Toolboxes and MCP servers: what agents get of them, and whether they answer.

use std::path::{Path as Directory, PathBuf};

use axum::extract::State;
use orchestra_api::requests::{CheckMcp, CheckToolbox, RunTool};
use orchestra_api::{JobAnswer, McpServerList, Toolbox};
use orchestra_core::SessionId;
use orchestra_engine::{Engine, SessionView};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::settings::Whose;
use crate::answer::{Answer, Started, answer, started};
use crate::desk::{Desk, JobOrder};
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path, Query};
use crate::{agent, session_field};

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_tools))
        .routes(routes!(check_toolbox))
        .routes(routes!(run_tool))
        .routes(routes!(list_mcp_servers))
        .routes(routes!(check_mcp_server))
}

/// Which toolboxes are meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Which {
    /// Those of a session: id, unique prefix or name.
    session: Option<String>,
    /// Those of a repository's settings: a directory in it, by its whole path.
    #[param(value_type = Option<String>)]
    repository: Option<PathBuf>,
    /// Names of the settings or directories, with commas between, instead of those.
    toolboxes: Option<String>,
}

/// List the tools that sessions get, and what gives way or is refused
///
/// Each tool is asked what it does.
#[utoipa::path(
    get, path = "/tools", tag = "equipment", params(Which),
    responses((status = 200, body = Toolbox), Failures),
)]
async fn list_tools(State(desk): State<Desk>, Query(which): Query<Which>) -> Answer<Toolbox> {
    let names = which.toolboxes.iter().flat_map(|names| names.split(','));
    let names: Vec<String> = names.map(|name| name.trim().to_owned()).collect();
    let look = move |engine: &Engine, of: Option<&SessionView>| {
        let directories = directories(engine, of, &names)?;
        Ok(agent::toolbox(&engine.look_at_toolboxes(&directories)?))
    };
    let found = match (which.session, which.repository) {
        (Some(session), _) => {
            let of = desk.look_at_session(session, move |engine, view| look(engine, Some(view)));
            of.await?
        }
        (None, path) => {
            let of = desk.look_in_repository(path, move |engine, _| look(engine, None));
            of.await?
        }
    };
    answer(found)
}

/// Look at a directory as if it were a toolbox
#[utoipa::path(
    post, path = "/tools/check", tag = "equipment", request_body = CheckToolbox,
    responses((status = 200, body = Toolbox), Failures),
)]
async fn check_toolbox(
    State(desk): State<Desk>,
    Body(request): Body<CheckToolbox>,
) -> Answer<Toolbox> {
    let look = desk.look(move |engine| {
        let given = Some(request.directory).filter(|directory| is_place(directory));
        let directory = given.and_then(|directory| directory.canonicalize().ok());
        let directory = directory.ok_or_else(|| {
            ApiError::invalid(
                "there is no such directory",
                "name a directory by its whole path",
            )
        })?;
        Ok(agent::toolbox(&engine.look_at_toolboxes(&[directory])?))
    });
    answer(look.await?)
}

/// Let a tool do its work
///
/// The job succeeds with a `ToolAnswer`, which has the tool's exit code.
#[utoipa::path(
    post, path = "/tools/run", tag = "equipment", request_body = RunTool,
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn run_tool(
    State(desk): State<Desk>,
    Body(request): Body<RunTool>,
) -> Result<Started, ApiError> {
    let place = place(&desk, &request).await?;
    let order = JobOrder {
        operation: "run_tool",
        session: place.session.clone(),
    };
    started(desk.start_job(order, move |desk, progress| {
        progress.step(format!("running {}", request.tool));
        desk.act_now_in(place.repository.as_deref(), |engine, _| {
            let of = place.session.as_ref().map(|id| engine.session(id));
            let of = of.transpose()?;
            let toolboxes = directories(engine, of.as_ref(), &request.toolboxes)?;
            let tool = &request.tool;
            let output = engine.run_tool(&toolboxes, tool, &request.input, &place.directory)?;
            Ok(agent::tool_answer(output))
        })
    })?)
}

/// Where a tool works, and by whose settings.
struct Place {
    directory: PathBuf,
    repository: Option<PathBuf>,
    session: Option<SessionId>,
}

async fn place(desk: &Desk, request: &RunTool) -> Result<Place, ApiError> {
    let given = request.directory.clone();
    if let Some(session) = &request.session {
        let look = desk.look_at_session(session.clone(), move |_, view| {
            Ok(Place {
                directory: given.unwrap_or_else(|| view.session.worktree.clone()),
                repository: Some(view.repository.root.clone()),
                session: Some(view.session.id.clone()),
            })
        });
        return look.await;
    }
    let repository = request.repository.clone();
    let directory = given.or_else(|| repository.clone());
    let directory = directory.filter(|directory| is_place(directory));
    let nowhere = || {
        ApiError::invalid(
            "it is not said where the tool works",
            "name a session, or a directory by its whole path",
        )
    };
    Ok(Place {
        directory: directory.ok_or_else(nowhere)?,
        repository,
        session: None,
    })
}

fn is_place(directory: &Directory) -> bool {
    directory.is_absolute() && directory.is_dir()
}

/// The toolboxes that are named, else those of the session, else those that sessions get that name none.
fn directories(
    engine: &Engine,
    of: Option<&SessionView>,
    names: &[String],
) -> Result<Vec<PathBuf>, ApiError> {
    Ok(match (names.is_empty(), of) {
        (false, _) => engine.toolbox_directories(names)?,
        (true, Some(view)) => engine.toolboxes_of(&view.session)?,
        (true, None) => engine.toolbox_directories(engine.usual_toolboxes())?,
    })
}

/// List the MCP servers that the settings describe
#[utoipa::path(
    get, path = "/mcp-servers", tag = "equipment", params(Whose),
    responses((status = 200, body = McpServerList), Failures),
)]
async fn list_mcp_servers(
    State(desk): State<Desk>,
    Query(whose): Query<Whose>,
) -> Answer<McpServerList> {
    let look = desk.look_in_repository(whose.repository, |engine, _| {
        let servers = engine.mcp_servers();
        Ok(McpServerList {
            servers: servers.iter().map(agent::mcp_server).collect(),
        })
    });
    answer(look.await?)
}

/// Connect to an MCP server and list its tools
///
/// The job succeeds with an `McpToolList`.
#[utoipa::path(
    post, path = "/mcp-servers/{server}/check", tag = "equipment", request_body = CheckMcp,
    params(("server" = String, Path, description = "Its name")),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn check_mcp_server(
    State(desk): State<Desk>,
    Path(server): Path<String>,
    Body(request): Body<CheckMcp>,
) -> Result<Started, ApiError> {
    let timeout = request.timeout.as_deref().map(session_field::duration);
    let timeout = timeout.transpose()?;
    let name = server.clone();
    desk.look_in_repository(request.repository.clone(), move |engine, _| {
        let is_known = engine.mcp_servers().iter().any(|known| known.name == name);
        is_known.then_some(()).ok_or_else(|| {
            ApiError::not_found(
                "mcp.not_found",
                format!("the settings describe no MCP server `{name}`"),
                "`list_mcp_servers` shows them",
            )
        })
    })
    .await?;
    let order = JobOrder {
        operation: "check_mcp_server",
        session: None,
    };
    started(desk.start_job(order, move |desk, progress| {
        progress.step(format!("asking {server}"));
        desk.act_now_in(request.repository.as_deref(), |engine, _| {
            let checked = engine.check_mcp(&server, timeout)?;
            Ok(agent::mcp_tools(&server, &checked))
        })
    })?)
}
