//! The work of a session as one patch: in an answer, or as a file.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::{StreamExt, TryStreamExt, stream};
use orchestra_api::{PatchAnswer, SessionAnswer};
use orchestra_core::SessionId;
use serde::Deserialize;
use tokio::sync::mpsc;
use utoipa::IntoParams;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Path, Query};
use crate::{plain_text, wire};

/// The largest patch that an answer has.
const LARGEST: usize = 4 * 1024 * 1024;
/// Pieces of a file that wait for a slow reader.
const WAITING: usize = 16;

/// How the patch is made.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// What the commit says; else the session's name and what its commits say.
    message: Option<String>,
}

/// A session's work as one patch that `git am` takes
///
/// All commits of the session become one in the patch; no branch moves. A patch of more than 4 MiB is refused:
/// `download_patch` has any size.
#[utoipa::path(
    get, path = "/sessions/{session}/export", tag = "operations",
    params(("session" = String, Path, description = "Id, unique prefix or name"), Wanted),
    responses((status = 200, body = PatchAnswer), Failures),
)]
pub(super) async fn export_session(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Answer<PatchAnswer> {
    plain_text::require("message", wanted.message.as_deref())?;
    let look = desk.look_at_session(session, move |engine, view| {
        let id = &view.session.id;
        let (mut patch, mut size) = (Vec::new(), 0);
        let done = engine.export(id, wanted.message.as_deref(), &mut |bytes| {
            size += bytes.len();
            if size <= LARGEST {
                patch.extend_from_slice(bytes);
            }
        })?;
        if size > LARGEST {
            return Err(ApiError::refused(
                "export.too_large",
                format!("the patch has {size} bytes, which are too many for an answer"),
                "download it as a file with `download_patch`",
            ));
        }
        let (patch, base64) = match String::from_utf8(patch) {
            Ok(text) => (Some(text), None),
            Err(error) => (None, Some(BASE64_STANDARD.encode(error.as_bytes()))),
        };
        let SessionAnswer { seq, session } = wire::answer(engine, id)?;
        Ok(PatchAnswer {
            seq,
            session,
            patch,
            base64,
            commit: done.commit.to_string(),
            commits: done.commits,
            subject: done.subject,
            leaves_out_changes: done.leaves_out_changes,
            indented_lines: done.indented_lines,
        })
    });
    answer(look.await?)
}

/// Download a session's work as one patch that `git am` takes
#[utoipa::path(
    get, path = "/sessions/{session}/export.patch", tag = "operations",
    params(("session" = String, Path, description = "Id, unique prefix or name"), Wanted),
    responses((status = 200, description = "The patch", content_type = "text/x-patch", body = String), Failures),
)]
pub(super) async fn download_patch(
    State(desk): State<Desk>,
    Path(session): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, ApiError> {
    plain_text::require("message", wanted.message.as_deref())?;
    let found = desk.look_at_session(session, |_, view| Ok(view.session.id.clone()));
    let id = found.await?;
    let (sender, mut pieces) = mpsc::channel(WAITING);
    tokio::spawn(send(desk, id.clone(), wanted, sender));
    // Until something is there, a failure is an answer; later it cuts the file off.
    let first = match pieces.recv().await {
        Some(first) => first?,
        None => Bytes::new(),
    };
    let rest = stream::unfold(pieces, async |mut pieces| {
        let piece: Result<Bytes, ApiError> = pieces.recv().await?;
        Some((piece, pieces))
    });
    let all = stream::once(async { Ok(first) }).chain(rest);
    let all = all.map_err(|error| std::io::Error::other(error.body.message));
    Ok(file(&id, Body::from_stream(all)))
}

async fn send(
    desk: Desk,
    id: SessionId,
    wanted: Wanted,
    sender: mpsc::Sender<Result<Bytes, ApiError>>,
) {
    let pieces = sender.clone();
    let made = desk.look_at_session(id.to_string(), move |engine, view| {
        let message = wanted.message.as_deref();
        engine.export(&view.session.id, message, &mut |bytes| {
            let piece = Bytes::copy_from_slice(bytes);
            // Where nobody reads any more, the rest goes nowhere.
            pieces.blocking_send(Ok(piece)).ok();
        })?;
        Ok(())
    });
    if let Err(error) = made.await {
        sender.send(Err(error)).await.ok();
    }
}

fn file(id: &SessionId, body: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/x-patch".to_owned()),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{id}.patch\""),
        ),
    ];
    (headers, body).into_response()
}
