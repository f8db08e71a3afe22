//! Making a session.

use std::path::Path;

use axum::extract::State;
use orchestra_api::{Created, SessionAnswer, requests};
use orchestra_core::{RuntimeWishes, TemplateName};
use orchestra_engine::{CreateSession, Engine, EngineError, StoredTemplate, TemplateError};

use crate::answer::{Answer, created};
use crate::consent::allow;
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::Body;
use crate::spoken::for_agent;
use crate::{base_note, session_field, wire};

/// Make a session: a branch, a worktree and a prompt
///
/// With `run`, its first iteration is started, too: at once, or as soon as the set-up came to a good end.
#[utoipa::path(
    post, path = "/sessions", tag = "sessions", request_body = requests::CreateSession,
    responses((status = 201, body = Created), Failures),
)]
pub(super) async fn create_session(
    State(desk): State<Desk>,
    Body(request): Body<requests::CreateSession>,
) -> Answer<Created> {
    let repository = Some(request.repository.clone());
    let act = desk.act_in_repository(repository, move |engine, root| make(engine, root, &request));
    created(act.await?)
}

fn make(
    engine: &Engine,
    root: Option<&Path>,
    request: &requests::CreateSession,
) -> Result<Created, ApiError> {
    let run = request.run;
    let (wanted, mut warnings) = wanted(engine, root, request)?;
    let made = engine.create_session(&wanted)?;
    warnings.splice(0..0, made.warnings);
    let id = &made.view.session.id;
    if run {
        engine.start_first_iteration(id)?;
    }
    let SessionAnswer { seq, session } = wire::answer(engine, id)?;
    let is_adopted = made.view.session.branch_adopted;
    Ok(Created {
        seq,
        session,
        base_note: base_note::note(&made.base).filter(|_| !is_adopted),
        warnings,
    })
}

/// What is asked of the engine, completed by the template, and what the user should know.
fn wanted(
    engine: &Engine,
    root: Option<&Path>,
    request: &requests::CreateSession,
) -> Result<(CreateSession, Vec<String>), ApiError> {
    let template = find_template(engine, root, request)?;
    let known = root.map(|root| engine.known_repository(root)).transpose()?;
    let known = known.flatten().map(|repository| repository.id);
    if let Some(root) = root.filter(|_| request.allow_commands) {
        allow(engine, root, engine.setup_commands(known)?)?;
    }
    let mut wanted = read(request)?;
    wanted.prompt = for_agent(engine, &wanted.prompt, root)?;
    let mut warnings = Vec::new();
    if let Some(stored) = template {
        let mut template = stored.usable();
        warnings.extend(stored.unused());
        if wanted.prompt.is_empty() {
            let filled = template.fill_prompt(&request.variables);
            wanted.prompt = filled.map_err(refused)?.unwrap_or_default();
        }
        let script = engine.template_script(known, &stored)?;
        let script: Vec<_> = script.into_iter().collect();
        match (root, request.allow_commands) {
            (Some(root), true) => allow(engine, root, script)?,
            _ if script.iter().any(|script| !script.is_allowed()) => {
                template.script = None;
                warnings.push(
                    "the script of the repository's template is left out: it is not allowed yet"
                        .to_owned(),
                );
            }
            _ => {}
        }
        wanted = wanted.or_template(&template);
    }
    Ok((wanted, warnings))
}

fn find_template(
    engine: &Engine,
    root: Option<&Path>,
    request: &requests::CreateSession,
) -> Result<Option<StoredTemplate>, ApiError> {
    let Some(name) = &request.template else {
        return Ok(None);
    };
    let name: TemplateName = name
        .parse()
        .map_err(|error| ApiError::invalid(format!("{error}"), "`list_templates` shows them"))?;
    let stored = engine.template(&name, root)?;
    let known = stored.template.require_known(&request.variables);
    known.map_err(refused)?;
    Ok(Some(stored))
}

fn refused(error: orchestra_core::FillError) -> ApiError {
    EngineError::from(TemplateError::from(error)).into()
}

fn read(request: &requests::CreateSession) -> Result<CreateSession, ApiError> {
    let branch = |text: &Option<String>| text.as_deref().map(str::parse).transpose();
    let toolboxes = request.toolboxes.iter();
    let toolboxes: Result<_, EngineError> = toolboxes
        .map(|name| session_field::toolbox_wish(name, &request.repository))
        .collect();
    let name = request.name.parse().map_err(|error| {
        ApiError::invalid(
            format!("{error}"),
            "choose one line of at most 120 characters",
        )
    })?;
    let timeout = request.timeout.as_deref();
    Ok(CreateSession {
        repository: request.repository.clone(),
        base: branch(&request.base).map_err(EngineError::from)?,
        name,
        prompt: request.prompt.clone().unwrap_or_default(),
        notes: request.notes.clone(),
        constraints: request.constraints.clone(),
        issue: request.issue.clone(),
        script: request.script.clone(),
        model: request.model.clone(),
        agent: request.agent.clone(),
        branch: branch(&request.branch).map_err(EngineError::from)?,
        timeout: timeout.map(session_field::duration).transpose()?,
        permissions: request.permissions,
        runtime: RuntimeWishes {
            environment: request.environment.clone(),
            mode: request.mode.clone(),
            budget: request.budget,
            isolation: request.isolation,
            toolboxes: toolboxes?,
            mcp: request.mcp.clone(),
        },
    })
}
