//! Cleanups, the trash and housekeeping.

use std::path::{Path as Directory, PathBuf};

use axum::extract::State;
use orchestra_api::requests::{CleanUpSession, EmptyTrash, KeepHouse, RestoreWorktree};
use orchestra_api::{
    CleanupAnswer, CleanupPlan, Emptied, ErrorBody, GcReport, JobAnswer, RestoreAnswer, TrashList,
};
use orchestra_core::RepositoryId;
use orchestra_engine::{
    BranchChoice, BranchEnd, Cleaned, Cleanup, Consent, DatabaseChoice, Engine, Gc,
    RegenerableListing, SessionView, TEARDOWN, Teardown, main_checkout_of,
};
use serde::Deserialize;
use utoipa::{IntoParams, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, Started, answer, started};
use crate::desk::{Desk, DeskParts, JobOrder, Progress};
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path, Query};
use crate::housekeeping::{self, Agreed, CleanupConsent, HouseOrder, Housekeeper};
use crate::{consent, session_field};

/// What jobs answer.
#[derive(OpenApi)]
#[openapi(components(schemas(CleanupAnswer, Emptied, GcReport)))]
struct Answers;

/// A repository without sessions has nothing in the trash.
const NO_REPOSITORY: RepositoryId = RepositoryId(-1);

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::with_openapi(Answers::openapi())
        .routes(routes!(plan_cleanup, cleanup_session))
        .routes(routes!(list_trash))
        .routes(routes!(restore_worktree))
        .routes(routes!(empty_trash))
        .routes(routes!(keep_house))
}

/// What a cleanup would do, and what stands in its way
#[utoipa::path(
    get, path = "/sessions/{session}/cleanup", tag = "housekeeping",
    params(("session" = String, Path, description = "Id, unique prefix or name"), CleanUpSession),
    responses((status = 200, body = CleanupPlan), Failures),
)]
async fn plan_cleanup(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(request): Query<CleanUpSession>,
) -> Answer<CleanupPlan> {
    let look = desk.look_at_session(session, move |engine, view| {
        let plan = engine.plan_cleanup(&view.session.id, wanted(request))?;
        let given = CleanupConsent {
            stop: request.stop,
            commands: request.allow_commands,
        };
        Ok(housekeeping::cleanup_plan(engine, &plan, given)?)
    });
    answer(look.await?)
}

/// Move a session's worktree into the trash
///
/// The job's answer is a `CleanupAnswer`. What stands in the way makes it fail, and nothing is changed.
#[utoipa::path(
    post, path = "/sessions/{session}/cleanup", tag = "housekeeping", request_body = CleanUpSession,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn cleanup_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<CleanUpSession>,
) -> Result<Started, ApiError> {
    let job = desk.start_in_session("cleanup_session", session, move |engine, view, progress| {
        clean_up(engine, view, progress, request)
    });
    started(job.await?)
}

fn clean_up(
    engine: &Engine,
    view: &SessionView,
    progress: &Progress,
    request: CleanUpSession,
) -> Result<CleanupAnswer, ApiError> {
    let id = &view.session.id;
    if request.allow_commands {
        let repository = view.repository.id;
        let mut commands = Vec::new();
        if !request.without_teardown && view.session.trash.is_none() {
            commands.extend(engine.project_command(Some(repository), TEARDOWN)?);
        }
        if request.delete_database {
            commands.extend(engine.drop_commands(view)?);
        }
        engine.consent_to(repository, &commands)?;
    }
    if request.stop && engine.stop_for_cleanup(id)? {
        progress.step("what ran was stopped; its work is kept");
    }
    progress.step("cleaning up");
    let cleaned = engine.cleanup(id, wanted(request))?;
    tell(progress, &cleaned);
    Ok(housekeeping::cleaned(engine, &cleaned)?)
}

/// What happened beside the cleanup itself.
fn tell(progress: &Progress, cleaned: &Cleaned) {
    for run in &cleaned.plan.servers {
        progress.step(format!("its server {} was ended", run.script));
    }
    if let BranchEnd::Kept(why) = &cleaned.branch {
        progress.step(format!("the branch was not deleted: {why}"));
    }
    if let Some(problem) = &cleaned.artifact_problem {
        progress.step(problem);
    }
}

fn wanted(request: CleanUpSession) -> Cleanup {
    Cleanup {
        branch: match request.delete_branch {
            true => BranchChoice::Delete,
            false => BranchChoice::Keep,
        },
        unlanded: Consent::given_if(request.even_unlanded),
        dirty: Consent::given_if(request.even_dirty),
        databases: match request.delete_database {
            true => DatabaseChoice::Drop,
            false => DatabaseChoice::Keep,
        },
        teardown: match request.without_teardown {
            true => Teardown::Skip,
            false => Teardown::Run,
        },
    }
}

/// Whose trash.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Of {
    /// Only that of this repository, by a directory in it.
    #[param(value_type = Option<String>)]
    repository: Option<PathBuf>,
}

/// What lies in the trash, and for how long
#[utoipa::path(
    get, path = "/trash", tag = "housekeeping", params(Of),
    responses((status = 200, body = TrashList), Failures),
)]
async fn list_trash(State(desk): State<Desk>, Query(of): Query<Of>) -> Answer<TrashList> {
    let look = desk.look(move |engine| {
        let seq = engine.last_seq()?;
        let repository = repository(engine, of.repository.as_deref())?;
        let (rows, damaged) = engine.trash(repository)?;
        Ok(housekeeping::trash_list(seq, &rows, damaged))
    });
    answer(look.await?)
}

fn repository(engine: &Engine, path: Option<&Directory>) -> Result<Option<RepositoryId>, ApiError> {
    let Some(path) = path else {
        return Ok(None);
    };
    let root = main_checkout_of(path).unwrap_or_else(|| path.to_owned());
    let known = engine.known_repository(&root)?;
    Ok(Some(known.map_or(NO_REPOSITORY, |known| known.id)))
}

/// Bring a worktree back as it was
#[utoipa::path(
    post, path = "/trash/restore", tag = "housekeeping", request_body = RestoreWorktree,
    responses((status = 200, body = RestoreAnswer), Failures),
)]
async fn restore_worktree(
    State(desk): State<Desk>,
    Body(request): Body<RestoreWorktree>,
) -> Answer<RestoreAnswer> {
    let act = desk.act_in_repository(None, move |engine, _| {
        let done = engine.restore(&request.what, None)?;
        Ok(housekeeping::restored(engine, &done)?)
    });
    answer(act.await?)
}

/// Delete worktrees in the trash for good
///
/// The job's answer is an `Emptied`. What is deleted cannot be restored; `dry_run` tells what it would be.
#[utoipa::path(
    post, path = "/trash/empty", tag = "housekeeping", request_body = EmptyTrash,
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn empty_trash(
    State(desk): State<Desk>,
    Body(request): Body<EmptyTrash>,
) -> Result<Started, ApiError> {
    let older_than = request.older_than.as_deref();
    let older_than = older_than.map(session_field::duration).transpose()?;
    let order = JobOrder {
        operation: "empty_trash",
        session: None,
    };
    started(desk.start_job(order, move |desk, _| {
        let now = desk.now();
        desk.act_for_user_now(|engine| {
            let repository = repository(engine, request.repository.as_deref())?;
            let (rows, _) = engine.trash(repository)?;
            let rows = housekeeping::older(rows, older_than, now);
            Ok(match request.dry_run {
                true => housekeeping::foretold_emptying(engine, &rows)?,
                false => housekeeping::emptied(engine, engine.empty_trash(rows))?,
            })
        })
    })?)
}

/// Delete what is kept longer than the settings say, and finish what was cut off
///
/// The job's answer is a `GcReport`; with `dry_run`, of what would be done.
#[utoipa::path(
    post, path = "/gc", tag = "housekeeping", request_body = KeepHouse,
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn keep_house(
    State(desk): State<Desk>,
    Body(request): Body<KeepHouse>,
) -> Result<Started, ApiError> {
    let order = JobOrder {
        operation: "keep_house",
        session: None,
    };
    started(desk.start_job(order, move |desk, _| {
        let order = HouseOrder {
            request: match request.dry_run {
                true => Gc::Foretell,
                false => Gc::Do,
            },
            regenerable: request.regenerable,
            delete_databases: request.delete_databases,
        };
        let keeper = Keeper {
            desk,
            allow_commands: request.allow_commands,
        };
        desk.act_for_user_now(|engine| {
            let done = housekeeping::keep_house(engine, order, &keeper)?;
            Ok(done.answer(engine)?)
        })
    })?)
}

/// The request says what goes.
struct Keeper<'a> {
    desk: &'a DeskParts,
    allow_commands: bool,
}

impl Housekeeper for Keeper<'_> {
    type Error = ApiError;

    fn agrees_to_remove(&self, _: &RegenerableListing) -> Result<bool, ApiError> {
        Ok(true)
    }

    fn agrees_to_drop(&self) -> Result<Agreed, ApiError> {
        Ok(Agreed::All)
    }

    fn drop_databases(&self, view: &SessionView) -> Result<(), ErrorBody> {
        let id = view.session.id.as_str();
        let dropped = self.desk.act_now(id, |engine, view| {
            if self.allow_commands {
                let commands = engine.drop_commands(view)?;
                consent::allow(engine, &view.repository.root, commands)?;
            }
            let request = Cleanup {
                databases: DatabaseChoice::Drop,
                ..Cleanup::default()
            };
            engine.cleanup(&view.session.id, request)?;
            Ok(())
        });
        dropped.map_err(|error| error.body)
    }
}
