//! Every operation, by resource. A handler reads the request, asks the engine, and answers with a wire type.

mod agents;
mod artifacts;
mod cleanup;
mod commands;
mod data;
mod diffs;
mod doctor;
mod equipment;
mod events;
mod files;
mod history;
mod iterations;
mod jobs;
mod leases;
mod merge;
mod metrics;
mod notifications;
mod operations;
mod rebase;
mod repositories;
mod script_runs;
mod servers;
mod sessions;
mod settings;
mod setup;
mod slash;
mod templates;
mod transcript;
mod worktrees;

use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::desk::Desk;
use crate::document::{Document, PREFIX};

/// All operations, and the document that describes them.
pub(crate) fn all() -> OpenApiRouter<Desk> {
    let operations = [
        agents::routes(),
        artifacts::routes(),
        cleanup::routes(),
        commands::routes(),
        data::routes(),
        diffs::routes(),
        doctor::routes(),
        equipment::routes(),
        events::routes(),
        files::routes(),
        history::routes(),
        iterations::routes(),
        jobs::routes(),
        leases::routes(),
        merge::routes(),
        metrics::routes(),
        notifications::routes(),
        operations::routes(),
        rebase::routes(),
        repositories::routes(),
        script_runs::routes(),
        servers::routes(),
        sessions::routes(),
        settings::routes(),
        setup::routes(),
        slash::routes(),
        templates::routes(),
        transcript::routes(),
        worktrees::routes(),
    ];
    let all = operations
        .into_iter()
        .fold(OpenApiRouter::new(), OpenApiRouter::merge);
    OpenApiRouter::with_openapi(Document::openapi()).nest(PREFIX, all)
}
