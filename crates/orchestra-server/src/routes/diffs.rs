//! What changed in a session: the files, and the patch of one of them.

use axum::extract::State;
use orchestra_api::{DiffPage, FileDiffAnswer};
use orchestra_core::IterationNumber;
use orchestra_engine::{DiffFileName, DiffWhat, Engine, SessionView};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Path, Query, within};
use crate::wire;

const USUAL: usize = 1_000;
const MOST: usize = 10_000;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_changes))
        .routes(routes!(get_file_diff))
}

/// Which changes of the files as they are now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum What {
    /// Everything since the base, committed or not.
    #[default]
    SinceBase,
    /// What is staged.
    Staged,
    /// What is not staged, new files too.
    Unstaged,
}

/// Which changes. One of `what`, `since`, and `from` with `to`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Which changes of the files as they are now; without it and the others, everything since the base.
    #[param(inline)]
    what: Option<What>,
    /// Everything since before this iteration.
    since: Option<u32>,
    /// From this commit: `base`, `head`, `iteration:2` (what it left), or all digits of a commit.
    from: Option<String>,
    /// To this commit, in the same words.
    to: Option<String>,
    /// At most this many files.
    #[param(minimum = 1, maximum = 10000)]
    limit: Option<usize>,
    /// The first file of this part: the `next` of the last one.
    #[serde(default)]
    cursor: usize,
}

/// Which changes of which file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct WantedFile {
    /// The file, from the top of the worktree.
    path: String,
    /// Where it was before, if the list says so. Without it, one that was renamed looks new.
    original: Option<String>,
    /// Which changes of the files as they are now; without it and the others, everything since the base.
    #[param(inline)]
    what: Option<What>,
    /// Everything since before this iteration.
    since: Option<u32>,
    /// From this commit: `base`, `head`, `iteration:2` (what it left), or all digits of a commit.
    from: Option<String>,
    /// To this commit, in the same words.
    to: Option<String>,
}

/// List what changed in a session, file by file, without patches
#[utoipa::path(
    get, path = "/sessions/{session}/diff", tag = "review",
    params(("session" = String, Path, description = "Id, unique prefix or name"), Wanted),
    responses((status = 200, body = DiffPage), Failures),
)]
async fn list_changes(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Answer<DiffPage> {
    let what = scope(wanted.what, wanted.since, wanted.from, wanted.to)?;
    let limit = within("limit", wanted.limit, USUAL, 1..=MOST)?;
    let look = desk.look_at_session(session, move |engine, view| {
        page(engine, view, &what, (wanted.cursor, limit))
    });
    answer(look.await?)
}

fn page(
    engine: &Engine,
    view: &SessionView,
    what: &DiffWhat,
    (first, limit): (usize, usize),
) -> Result<DiffPage, ApiError> {
    let seq = engine.last_seq()?;
    let changes = engine.diff_summary(&view.session.id, what)?;
    let total = changes.len();
    let end = first.saturating_add(limit);
    let shown = changes.iter().skip(first).take(limit);
    Ok(DiffPage {
        seq,
        session: wire::session(engine, view),
        total,
        insertions: changes.iter().filter_map(|it| it.insertions).sum(),
        deletions: changes.iter().filter_map(|it| it.deletions).sum(),
        files: shown.map(wire::file_change).collect(),
        next: (end < total).then_some(end),
    })
}

/// Show what changed in one file of a session
///
/// A patch of more than 1 MiB is left out.
#[utoipa::path(
    get, path = "/sessions/{session}/diff/file", tag = "review",
    params(("session" = String, Path, description = "Id, unique prefix or name"), WantedFile),
    responses((status = 200, body = FileDiffAnswer), Failures),
)]
async fn get_file_diff(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(wanted): Query<WantedFile>,
) -> Answer<FileDiffAnswer> {
    let what = scope(wanted.what, wanted.since, wanted.from, wanted.to)?;
    let (path, original) = (wanted.path, wanted.original);
    let look = desk.look_at_session(session, move |engine, view| {
        let name = DiffFileName {
            path: &path,
            original: original.as_deref(),
        };
        let seq = engine.last_seq()?;
        let found = engine.diff_file(&view.session.id, &what, name)?;
        let found = found.ok_or_else(|| unchanged(&path))?;
        Ok(FileDiffAnswer {
            seq,
            session_id: view.session.id.clone(),
            file: wire::file_patch(&found),
        })
    });
    answer(look.await?)
}

fn unchanged(path: &str) -> ApiError {
    ApiError::not_found(
        "diff.unchanged",
        format!("nothing changed in a file `{path}`"),
        "list what changed; it may have changed again since",
    )
}

fn scope(
    what: Option<What>,
    since: Option<u32>,
    from: Option<String>,
    to: Option<String>,
) -> Result<DiffWhat, ApiError> {
    Ok(match (what, since, from, to) {
        (what, None, None, None) => match what.unwrap_or_default() {
            What::SinceBase => DiffWhat::SinceBase,
            What::Staged => DiffWhat::Staged,
            What::Unstaged => DiffWhat::Unstaged,
        },
        (None, Some(number), None, None) => DiffWhat::SinceIteration(IterationNumber(number)),
        (None, None, Some(from), Some(to)) => DiffWhat::Between(from.parse()?, to.parse()?),
        _ => {
            return Err(ApiError::invalid(
                "several kinds of changes are asked for at once, or a commit without another",
                "give `what`, or `since`, or `from` and `to`",
            ));
        }
    })
}
