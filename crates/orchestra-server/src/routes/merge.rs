//! Landing: check, approve, merge, land, push, pull requests.

mod land;

use axum::extract::State;
use orchestra_api::requests::{MergeForm, MergeSession, OpenPullRequest, PushBranch};
use orchestra_api::{
    ApprovalAnswer, CheckAnswer, JobAnswer, LandAnswer, LandedAnswer, MergeAnswer, PushAnswer,
    ScriptAnswer,
};
use orchestra_core::BranchName;
use orchestra_engine::{
    AFTER_MERGE, Engine, EngineError, LandStep, MergeMode, MergeOrder, MergeRequest, PULL_REQUEST,
    ProjectCommand, PullRequestText, PushSession, RemoteCommits, SessionView,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, Started, answer, started};
use crate::desk::{Desk, Progress};
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path, Query};
use crate::landing::MergeOutcome;
use crate::{consent, landing, plain_text, wire};

/// What jobs answer.
#[derive(OpenApi)]
#[openapi(components(schemas(MergeAnswer, LandedAnswer, LandAnswer, PushAnswer, ScriptAnswer)))]
struct Answers;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::with_openapi(Answers::openapi())
        .routes(routes!(check_session))
        .routes(routes!(approve_session, withdraw_approval))
        .routes(routes!(merge_session))
        .routes(routes!(push_session))
        .routes(routes!(open_pull_request))
        .routes(routes!(land::land_sessions))
        .routes(routes!(land::compare_sessions))
}

/// Where it would land.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Target {
    /// The branch; absent: the session's base.
    into: Option<String>,
}

/// Whether a session may land
#[utoipa::path(
    get, path = "/sessions/{session}/check", tag = "landing",
    params(("session" = String, Path, description = "Id, unique prefix or name"), Target),
    responses((status = 200, body = CheckAnswer), Failures),
)]
async fn check_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(target): Query<Target>,
) -> Answer<CheckAnswer> {
    let into = branch(target.into.as_deref())?;
    let look = desk.look_at_session(session, move |engine, view| {
        let report = engine.check(&view.session.id, into.as_ref())?;
        Ok(landing::check_answer(engine, &report)?)
    });
    answer(look.await?)
}

/// Say that you looked at the work of a session and want it to land
#[utoipa::path(
    put, path = "/sessions/{session}/approval", tag = "landing",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = ApprovalAnswer), Failures),
)]
async fn approve_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<ApprovalAnswer> {
    let act = desk.act_in_session(session, |engine, view| {
        let view = engine.approve(&view.session.id)?;
        Ok(landing::approval_answer(engine, &view)?)
    });
    answer(act.await?)
}

/// Take an approval back
#[utoipa::path(
    delete, path = "/sessions/{session}/approval", tag = "landing",
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = ApprovalAnswer), Failures),
)]
async fn withdraw_approval(
    State(desk): State<Desk>,
    Path(session): Path<String>,
) -> Answer<ApprovalAnswer> {
    let act = desk.act_in_session(session, |engine, view| {
        let view = engine.withdraw_approval(&view.session.id)?;
        Ok(landing::approval_answer(engine, &view)?)
    });
    answer(act.await?)
}

/// Land a session: its work becomes part of its base
///
/// The job's answer is a `MergeAnswer`; of a session that had landed before, a `LandedAnswer`. Both may have an `error` of
/// what followed: the merge stands all the same.
#[utoipa::path(
    post, path = "/sessions/{session}/merge", tag = "landing", request_body = MergeSession,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn merge_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<MergeSession>,
) -> Result<Started, ApiError> {
    plain_text::require("message", request.message.as_deref())?;
    let wanted = wanted(&request)?;
    let job = desk.start_in_session("merge_session", session, move |engine, view, progress| {
        merge(engine, view, progress, &request, wanted)
    });
    started(job.await?)
}

/// What a merge answers.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum MergeJob {
    Merged(Box<MergeAnswer>),
    Landed(Box<LandedAnswer>),
}

fn merge(
    engine: &Engine,
    view: &SessionView,
    progress: &Progress,
    request: &MergeSession,
    merge: MergeRequest,
) -> Result<MergeJob, ApiError> {
    let id = &view.session.id;
    let after_merge = match request.after_merge {
        true => Some(consent::require_command(
            engine,
            &view.repository,
            AFTER_MERGE,
            request.allow_commands,
        )?),
        false => after_merge(engine, view, progress, request.allow_commands)?,
    };
    let order = MergeOrder {
        merge,
        after_merge,
        push: request.push,
    };
    let mut on_step = |view: &SessionView, step: LandStep<'_>| {
        progress.step(landing::step_in_words(view, step));
    };
    let done = match request.after_merge {
        true => {
            let done = engine.finish_landed(id, &order, &mut on_step)?;
            MergeOutcome::Finished(Box::new(done))
        }
        false => landing::merge(engine, id, &order, &mut on_step)?,
    };
    Ok(match done {
        MergeOutcome::Landed(done) => {
            MergeJob::Merged(Box::new(landing::merge_answer(engine, &done)?))
        }
        MergeOutcome::Finished(done) => {
            MergeJob::Landed(Box::new(landing::landed_answer(engine, id, &done)?))
        }
    })
}

/// What is set for after a merge, if it may run; else that it does not is a step.
fn after_merge(
    engine: &Engine,
    view: &SessionView,
    progress: &Progress,
    allow_commands: bool,
) -> Result<Option<ProjectCommand>, ApiError> {
    let found = consent::command(engine, &view.repository, AFTER_MERGE, allow_commands)?;
    if found.as_ref().is_some_and(|it| !it.is_allowed()) {
        progress.step(format!(
            "`{AFTER_MERGE}` comes from the repository's own settings file and is not allowed yet: it will not run"
        ));
    }
    Ok(found.filter(ProjectCommand::is_allowed))
}

/// What is asked of the engine.
fn wanted(request: &MergeSession) -> Result<MergeRequest, ApiError> {
    if let Some(why) = contradiction(request) {
        return Err(ApiError::invalid(why, "leave out one of the two"));
    }
    Ok(MergeRequest {
        mode: match request.form {
            MergeForm::CherryPick => MergeMode::CherryPick(request.commits.clone()),
            form => mode(form),
        },
        into: branch(request.into.as_deref())?,
        message: request.message.clone(),
        overridden: request.overridden.clone(),
    })
}

/// What does not go together, if anything does not.
fn contradiction(request: &MergeSession) -> Option<&'static str> {
    let picks = request.form == MergeForm::CherryPick;
    let has_message = request.message.is_some();
    let says_how = request.form != MergeForm::Fitting
        || has_message
        || request.into.is_some()
        || !request.overridden.is_empty();
    if picks == request.commits.is_empty() {
        Some("commits are given with the form `cherry_pick`, and only then")
    } else if picks && (has_message || request.push) {
        Some("picked commits keep their messages, and their base is not pushed with them")
    } else if has_message && request.form == MergeForm::FastForwardOnly {
        Some("a base that only moves forward gets no message")
    } else if request.after_merge && says_how {
        Some("with `after_merge` nothing is merged")
    } else {
        None
    }
}

/// Whatever needs no commits.
fn mode(form: MergeForm) -> MergeMode {
    match form {
        MergeForm::Fitting | MergeForm::CherryPick => MergeMode::Fitting,
        MergeForm::FastForwardOnly => MergeMode::FastForwardOnly,
        MergeForm::MergeCommit => MergeMode::MergeCommit,
        MergeForm::Squash => MergeMode::Squash,
    }
}

fn branch(text: Option<&str>) -> Result<Option<BranchName>, EngineError> {
    Ok(text.map(str::parse).transpose()?)
}

/// Push a session's branch to a remote
///
/// The job's answer is a `PushAnswer`. A push cannot be undone.
#[utoipa::path(
    post, path = "/sessions/{session}/push", tag = "landing", request_body = PushBranch,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn push_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<PushBranch>,
) -> Result<Started, ApiError> {
    let request = PushSession {
        remote: request.remote,
        theirs: match (request.expected_commit, request.force_with_lease) {
            (Some(commit), _) => RemoteCommits::ReplacedAt(commit),
            (None, true) => RemoteCommits::ReplacedIfSeen,
            (None, false) => RemoteCommits::Stay,
        },
    };
    let job = desk.start_in_session("push_session", session, move |engine, view, _| {
        let done = engine.push(&view.session.id, &request)?;
        Ok(landing::push_answer(engine, &done)?)
    });
    started(job.await?)
}

/// Push a session and open a pull request for it, with the command in `commands.pr`
///
/// The job's answer is a `ScriptAnswer`: how the command ended.
#[utoipa::path(
    post, path = "/sessions/{session}/pull-request", tag = "landing", request_body = OpenPullRequest,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 202, body = JobAnswer), Failures),
)]
async fn open_pull_request(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<OpenPullRequest>,
) -> Result<Started, ApiError> {
    plain_text::require("title", request.title.as_deref())?;
    let job = desk.start_in_session("open_pull_request", session, move |engine, view, _| {
        let (repository, allow) = (&view.repository, request.allow_commands);
        let command = consent::require_command(engine, repository, PULL_REQUEST, allow)?;
        let text = PullRequestText {
            title: request.title,
            body: request.body,
        };
        let done = engine.open_pull_request(&view.session.id, &command, &text)?;
        Ok(wire::script(engine, &done)?)
    });
    started(job.await?)
}
