//! Templates: list, look, save, import, delete.

use std::path::PathBuf;

use axum::extract::State;
use orchestra_api::requests::{ImportTemplate, SaveTemplate};
use orchestra_api::{TemplateAnswer, TemplateDeleted, TemplateList, TemplateText};
use orchestra_core::{RuntimeWishes, Template, TemplateName};
use orchestra_engine::{Engine, EngineError, TemplateError, main_checkout_of};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::settings::Whose;
use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path, Query};
use crate::{session_field, template};

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_templates))
        .routes(routes!(get_template, save_template, delete_template))
        .routes(routes!(get_template_text, import_template))
}

/// List the templates: the user's, and those of a repository
#[utoipa::path(
    get, path = "/templates", tag = "templates", params(Whose),
    responses((status = 200, body = TemplateList), Failures),
)]
async fn list_templates(
    State(desk): State<Desk>,
    Query(whose): Query<Whose>,
) -> Answer<TemplateList> {
    let look = desk.look_in_repository(whose.repository, |engine, root| {
        Ok(template::list(engine, root)?)
    });
    answer(look.await?)
}

/// Look at what a template says
#[utoipa::path(
    get, path = "/templates/{template}", tag = "templates",
    params(("template" = String, Path, description = "Its name"), Whose),
    responses((status = 200, body = TemplateAnswer), Failures),
)]
async fn get_template(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    Query(whose): Query<Whose>,
) -> Answer<TemplateAnswer> {
    let name = read_name(&name)?;
    let look = desk.look_in_repository(whose.repository, move |engine, root| {
        let found = engine.template(&name, root).map_err(missing)?;
        Ok(template::answer(engine, &found)?)
    });
    answer(look.await?)
}

/// The text of a template's file
#[utoipa::path(
    get, path = "/templates/{template}/text", tag = "templates",
    params(("template" = String, Path, description = "Its name"), Whose),
    responses((status = 200, body = TemplateText), Failures),
)]
async fn get_template_text(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    Query(whose): Query<Whose>,
) -> Answer<TemplateText> {
    let name = read_name(&name)?;
    let look = desk.look_in_repository(whose.repository, move |engine, root| {
        let found = engine.template(&name, root).map_err(missing)?;
        Ok(template::text(engine, found)?)
    });
    answer(look.await?)
}

/// Save what new sessions can begin with
#[utoipa::path(
    put, path = "/templates/{template}", tag = "templates", request_body = SaveTemplate,
    params(("template" = String, Path, description = "Lower-case letters, digits, `-` and `_`")),
    responses((status = 200, body = TemplateAnswer), Failures),
)]
async fn save_template(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    Body(request): Body<SaveTemplate>,
) -> Answer<TemplateAnswer> {
    let name = read_name(&name)?;
    let act = desk.act_in_repository(None, move |engine, _| {
        let same_name = template::same_name(request.replace);
        let before = request.replace.then(|| engine.template(&name, None).ok());
        let mut wanted = gather(engine, request)?;
        if let Some(before) = before.flatten() {
            template::keep_descriptions(&mut wanted, &before.template);
        }
        let saved = engine.save_template(&name, &wanted, same_name)?;
        Ok(template::answer(engine, &saved)?)
    });
    answer(act.await?)
}

fn gather(engine: &Engine, request: SaveTemplate) -> Result<Template, ApiError> {
    let session = match &request.from {
        Some(text) => engine.template_of(&engine.find_session(text, None)?.session.id)?,
        None => Template::default(),
    };
    let base = request.base.as_deref().map(str::parse).transpose();
    let timeout = request.timeout.as_deref();
    let given = Template {
        prompt: request.prompt,
        description: request.description,
        repository: request.repository.as_deref().map(checkout).transpose()?,
        base: base.map_err(EngineError::Branch)?,
        script: request.script,
        model: request.model,
        agent: request.agent,
        runtime: RuntimeWishes {
            environment: request.environment,
            mode: request.mode,
            budget: request.budget,
            isolation: request.isolation,
            toolboxes: request.toolboxes,
            mcp: request.mcp,
        },
        timeout: timeout.map(session_field::duration).transpose()?,
        ..Template::default()
    };
    Ok(template::combined(given, session, request.variables)?)
}

fn checkout(path: &std::path::Path) -> Result<PathBuf, ApiError> {
    main_checkout_of(path).ok_or_else(|| {
        ApiError::not_found(
            "repository.not_found",
            format!("{} is in no git repository", path.display()),
            "name a directory in one, or none: the template is for all of them then",
        )
    })
}

/// Save a template as it was written
///
/// A script in it runs after each iteration of sessions that begin with the template, so it wants `allow_script`.
#[utoipa::path(
    put, path = "/templates/{template}/text", tag = "templates", request_body = ImportTemplate,
    params(("template" = String, Path, description = "Lower-case letters, digits, `-` and `_`")),
    responses((status = 200, body = TemplateAnswer), Failures),
)]
async fn import_template(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    Body(request): Body<ImportTemplate>,
) -> Answer<TemplateAnswer> {
    let name = read_name(&name)?;
    let act = desk.act_in_repository(None, move |engine, _| {
        let source = PathBuf::from("the text");
        let read = engine.read_template(&name, &source, &request.text)?;
        if let Some(script) = read
            .template
            .script
            .as_ref()
            .filter(|_| !request.allow_script)
        {
            return Err(ApiError::refused(
                "template.not_confirmed",
                format!("the template `{name}` has a script: {script}"),
                "read it, and send `allow_script` if sessions may run it",
            ));
        }
        let saved = engine.import_template(read, template::same_name(request.replace))?;
        Ok(template::answer(engine, &saved)?)
    });
    answer(act.await?)
}

/// Delete a template of the user
#[utoipa::path(
    delete, path = "/templates/{template}", tag = "templates",
    params(("template" = String, Path, description = "Its name"), Whose),
    responses((status = 200, body = TemplateDeleted), Failures),
)]
async fn delete_template(
    State(desk): State<Desk>,
    Path(name): Path<String>,
    Query(whose): Query<Whose>,
) -> Answer<TemplateDeleted> {
    let name = read_name(&name)?;
    let act = desk.act_in_repository(whose.repository, move |engine, root| {
        engine.delete_template(&name, root).map_err(missing)?;
        let seq = engine.last_seq()?;
        Ok(TemplateDeleted { seq, name })
    });
    answer(act.await?)
}

fn read_name(text: &str) -> Result<TemplateName, ApiError> {
    let name = text.parse().map_err(TemplateError::Name);
    Ok(name.map_err(EngineError::from)?)
}

/// One that is not there has an address at which nothing is.
fn missing(error: EngineError) -> ApiError {
    let is_missing = matches!(error, EngineError::Template(TemplateError::NotFound { .. }));
    let mut error = ApiError::from(error);
    if is_missing {
        error.status = axum::http::StatusCode::NOT_FOUND;
    }
    error
}
