//! Settings: what is in force and where it comes from; changing the user's file or a repository's.

use std::path::{Path as Directory, PathBuf};

use axum::extract::State;
use orchestra_api::requests::SetSetting;
use orchestra_api::{Setting, SettingChanged, SettingsFiles, SettingsList};
use orchestra_config::SettingsFile;
use orchestra_engine::{Engine, EngineError};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path, Query};
use crate::settings;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_settings))
        .routes(routes!(get_settings_files))
        .routes(routes!(get_settings_schema))
        .routes(routes!(get_setting, set_setting, unset_setting))
}

/// Whose settings are meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Whose {
    /// A directory in a repository, by its whole path; absent: the user's alone.
    #[param(value_type = Option<String>)]
    pub(super) repository: Option<PathBuf>,
}

/// List every setting with its value and where it comes from
#[utoipa::path(
    get, path = "/settings", tag = "settings", params(Whose),
    responses((status = 200, body = SettingsList), Failures),
)]
async fn list_settings(
    State(desk): State<Desk>,
    Query(whose): Query<Whose>,
) -> Answer<SettingsList> {
    let look = desk.look_in_repository(whose.repository, |engine, _| Ok(settings::list(engine)));
    answer(look.await?)
}

/// Where the settings files are
#[utoipa::path(
    get, path = "/settings/files", tag = "settings", params(Whose),
    responses((status = 200, body = SettingsFiles), Failures),
)]
async fn get_settings_files(
    State(desk): State<Desk>,
    Query(whose): Query<Whose>,
) -> Answer<SettingsFiles> {
    let look = desk.look_in_repository(whose.repository, |engine, root| {
        Ok(settings::files(engine.environment(), root)?)
    });
    answer(look.await?)
}

/// The JSON Schema of the settings files
#[utoipa::path(
    get, path = "/settings/schema", tag = "settings",
    responses((status = 200, body = serde_json::Value), Failures),
)]
async fn get_settings_schema() -> Answer<serde_json::Value> {
    answer(orchestra_config::schema())
}

/// Look at one setting
#[utoipa::path(
    get, path = "/settings/values/{key}", tag = "settings",
    params(("key" = String, Path, description = "Such as `git.commit_prefix`"), Whose),
    responses((status = 200, body = Setting), Failures),
)]
async fn get_setting(
    State(desk): State<Desk>,
    Path(key): Path<String>,
    Query(whose): Query<Whose>,
) -> Answer<Setting> {
    let look = desk.look_in_repository(whose.repository, move |engine, _| {
        let value = engine.settings().require(&key);
        Ok(settings::setting(&value.map_err(EngineError::from)?))
    });
    answer(look.await?)
}

/// Change a setting in the user's file or a repository's
///
/// Refused if the settings could not be read afterwards.
#[utoipa::path(
    put, path = "/settings/values/{key}", tag = "settings", request_body = SetSetting,
    params(("key" = String, Path, description = "Such as `git.commit_prefix`")),
    responses((status = 200, body = SettingChanged), Failures),
)]
async fn set_setting(
    State(desk): State<Desk>,
    Path(key): Path<String>,
    Body(request): Body<SetSetting>,
) -> Answer<SettingChanged> {
    let act = desk.act_in_repository(request.repository, move |engine, root| {
        let file = file(engine, root)?;
        Ok(settings::set(engine, &file, &key, &request.value)?.into())
    });
    answer(act.await?)
}

/// Take a setting out of the user's file or a repository's, so that the default applies
#[utoipa::path(
    delete, path = "/settings/values/{key}", tag = "settings",
    params(("key" = String, Path, description = "Such as `git.commit_prefix`"), Whose),
    responses((status = 200, body = SettingChanged), Failures),
)]
async fn unset_setting(
    State(desk): State<Desk>,
    Path(key): Path<String>,
    Query(whose): Query<Whose>,
) -> Answer<SettingChanged> {
    let act = desk.act_in_repository(whose.repository, move |engine, root| {
        let file = file(engine, root)?;
        Ok(settings::unset(engine, &file, &key)?.into())
    });
    answer(act.await?)
}

fn file(engine: &Engine, root: Option<&Directory>) -> Result<SettingsFile, ApiError> {
    Ok(match root {
        Some(root) => SettingsFile::of_repository(root),
        None => SettingsFile::of_user(engine.environment()).map_err(EngineError::from)?,
    })
}
