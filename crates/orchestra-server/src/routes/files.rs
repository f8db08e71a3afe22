//! Files of a session's worktree.

use axum::extract::State;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use orchestra_api::requests::{OpenWindow, SaveFile, WindowKind};
use orchestra_api::{DirectoryAnswer, DirectoryEntry, FileAnswer, WindowAnswer};
use orchestra_core::{SessionId, visible_line};
use orchestra_engine::{DirectoryRequest, FileEntry, Window, WorktreeFile};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Body, Path, Query, within};

const USUAL: usize = 1_000;
const MOST: usize = 10_000;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_directory))
        .routes(routes!(read_file, save_file))
        .routes(routes!(open_window))
}

/// Open a window that shows a session's worktree
///
/// On the machine of the engine, for a person who sits there: an editor, or a terminal with a shell as `session shell` gives
/// it. Without a desktop it is refused.
#[utoipa::path(
    post, path = "/sessions/{session}/window", tag = "files", request_body = OpenWindow,
    params(("session" = String, Path, description = "Id, unique prefix or name")),
    responses((status = 200, body = WindowAnswer), Failures),
)]
async fn open_window(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Body(request): Body<OpenWindow>,
) -> Answer<WindowAnswer> {
    let act = desk.act_in_session(session, move |engine, view| {
        let id = &view.session.id;
        let notes = engine.make_room(id)?;
        let window = match request.with {
            WindowKind::Editor => Window::Editor,
            WindowKind::Terminal => Window::Terminal,
        };
        Ok(WindowAnswer {
            session_id: id.clone(),
            program: engine.open_window(id, window)?,
            notes: notes.iter().map(|note| visible_line(note)).collect(),
        })
    });
    answer(act.await?)
}

/// Which directory.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Directory {
    /// The directory, from the top of the worktree; without it, the top itself.
    #[serde(default)]
    path: String,
    /// Only what comes after this name: the `next` of the last part.
    after: Option<String>,
    /// At most this many.
    #[param(minimum = 1, maximum = 10000)]
    limit: Option<usize>,
}

/// List a directory of a session's worktree
#[utoipa::path(
    get, path = "/sessions/{session}/directory", tag = "files",
    params(("session" = String, Path, description = "Id, unique prefix or name"), Directory),
    responses((status = 200, body = DirectoryAnswer), Failures),
)]
async fn list_directory(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(wanted): Query<Directory>,
) -> Answer<DirectoryAnswer> {
    let look = desk.look_at_session(session, move |engine, view| {
        let request = DirectoryRequest {
            path: &wanted.path,
            after: wanted.after.as_deref(),
            limit: within("limit", wanted.limit, USUAL, 1..=MOST)?,
        };
        let page = engine.list_directory(&view.session.id, &request)?;
        let last = page.entries.last().filter(|_| page.has_more);
        Ok(DirectoryAnswer {
            session_id: view.session.id.clone(),
            next: last.map(|entry| entry.name.clone()),
            path: wanted.path,
            total: page.total,
            entries: page.entries.into_iter().map(entry).collect(),
        })
    });
    answer(look.await?)
}

fn entry(entry: FileEntry) -> DirectoryEntry {
    DirectoryEntry {
        name: entry.name,
        kind: entry.kind,
        bytes: entry.bytes,
        target: entry.target,
    }
}

/// Which file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct File {
    /// The file, from the top of the worktree.
    path: String,
}

/// Read a file of a session's worktree
///
/// Links are not followed, and nothing of git's own is shown.
#[utoipa::path(
    get, path = "/sessions/{session}/file", tag = "files",
    params(("session" = String, Path, description = "Id, unique prefix or name"), File),
    responses((status = 200, body = FileAnswer), Failures),
)]
async fn read_file(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(wanted): Query<File>,
) -> Answer<FileAnswer> {
    let look = desk.look_at_session(session, move |engine, view| {
        let file = engine.read_file(&view.session.id, &wanted.path)?;
        Ok(file_answer(&view.session.id, wanted.path, file))
    });
    answer(look.await?)
}

/// Save a file in a session's worktree
///
/// It is replaced only if it is the version that was read, and keeps its permissions. Refused while something works on the
/// session, unless `while_running` says otherwise.
#[utoipa::path(
    put, path = "/sessions/{session}/file", tag = "files", request_body = SaveFile,
    params(("session" = String, Path, description = "Id, unique prefix or name"), File),
    responses((status = 200, body = FileAnswer), Failures),
)]
async fn save_file(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(wanted): Query<File>,
    Body(request): Body<SaveFile>,
) -> Answer<FileAnswer> {
    let order = orchestra_engine::SaveFile {
        path: wanted.path,
        content: content(request.text, request.base64)?,
        version: request.version,
        while_running: request.while_running,
    };
    let act = desk.act_in_session(session, move |engine, view| {
        let file = engine.save_file(&view.session.id, &order)?;
        Ok(file_answer(&view.session.id, order.path, file))
    });
    answer(act.await?)
}

fn content(text: Option<String>, base64: Option<String>) -> Result<Vec<u8>, ApiError> {
    let wrong = |message| ApiError::invalid(message, "give `text`, or `base64`");
    match (text, base64) {
        (Some(text), None) => Ok(text.into_bytes()),
        (None, Some(base64)) => BASE64_STANDARD
            .decode(base64)
            .map_err(|_| wrong("the content is no base64")),
        _ => Err(wrong("the content must be given once")),
    }
}

fn file_answer(id: &SessionId, path: String, file: WorktreeFile) -> FileAnswer {
    let version = file.version();
    let is_too_large = file.content.is_none();
    let (text, base64) = match file.content.map(String::from_utf8) {
        None => (None, None),
        Some(Ok(text)) => (Some(text), None),
        Some(Err(other)) => (None, Some(BASE64_STANDARD.encode(other.as_bytes()))),
    };
    FileAnswer {
        session_id: id.clone(),
        path,
        bytes: file.bytes,
        is_executable: file.is_executable,
        version,
        text,
        base64,
        is_too_large,
    }
}
