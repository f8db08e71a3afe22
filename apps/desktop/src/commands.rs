//! What the page can ask of the shell, besides the engine itself.
#![expect(
    clippy::let_underscore_must_use,
    clippy::needless_pass_by_value,
    reason = "commands are called by code that a macro makes"
)]

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::body::Body;
use axum::http::{HeaderValue, Request, StatusCode};
use http_body_util::BodyExt;
use percent_encoding::percent_decode;
use tauri::async_runtime::JoinHandle;
use tauri::ipc::{Channel, InvokeBody};
use tauri::{AppHandle, State, Url};
use tauri_plugin_dialog::DialogExt;
use tokio::sync::oneshot;

use crate::engine::Engine;
use crate::orders::{Order, Orders};
use crate::window;

const EVENTS: &str = "/api/v1/events";

/// Streams of events that the page follows, by the number it gave them.
#[derive(Default)]
pub(crate) struct Streams {
    running: Mutex<HashMap<u32, JoinHandle<()>>>,
}

impl Streams {
    fn keep(&self, id: u32, stream: JoinHandle<()>) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|_, it| !it.inner().is_finished());
        if let Some(before) = running.insert(id, stream) {
            before.abort();
        }
    }

    /// Ends all of them: the page that followed them is gone.
    pub(crate) fn stop_all(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, stream) in running.drain() {
            stream.abort();
        }
    }

    fn stop(&self, id: u32) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stream) = running.remove(&id) {
            stream.abort();
        }
    }
}

/// Follows the log: the text of the stream comes in pieces, and an empty one ends it.
#[tauri::command]
pub(crate) async fn follow_events(
    engine: State<'_, Engine>,
    streams: State<'_, Streams>,
    id: u32,
    last_event_id: Option<String>,
    pieces: Channel<String>,
) -> Result<u16, String> {
    let mut request = Request::get(EVENTS);
    if let Some(last) = last_event_id {
        request = request.header("last-event-id", last);
    }
    let request = request.body(Body::empty()).map_err(|it| it.to_string())?;
    let answer = engine.answer(request).await;
    let status = answer.status();
    if status == StatusCode::OK {
        let stream = tauri::async_runtime::spawn(pass_on(answer.into_body(), pieces));
        streams.keep(id, stream);
    }
    Ok(status.as_u16())
}

async fn pass_on(mut body: Body, pieces: Channel<String>) {
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let text = String::from_utf8_lossy(&data).into_owned();
        if pieces.send(text).is_err() {
            return;
        }
    }
    // Whoever follows is gone if this fails.
    pieces.send(String::new()).ok();
}

#[tauri::command]
pub(crate) fn stop_following(streams: State<'_, Streams>, id: u32) {
    streams.stop(id);
}

#[tauri::command]
pub(crate) fn hear_orders(orders: State<'_, Orders>, page: Channel<Order>) {
    orders.connect(page);
}

#[tauri::command]
pub(crate) fn open_outside(address: Url) {
    window::open_outside(&address);
}

/// Lets the user choose a folder.
#[tauri::command]
pub(crate) async fn pick_folder(app: AppHandle) -> Option<String> {
    let (done, picked) = oneshot::channel();
    app.dialog().file().pick_folder(|folder| {
        // Nobody waits any more when the window is gone.
        done.send(folder).ok();
    });
    let folder = picked.await.ok()??;
    Some(folder.into_path().ok()?.to_string_lossy().into_owned())
}

/// Writes what the page made to a file that the user chooses; whether the user chose one.
#[tauri::command]
pub(crate) async fn save_file(
    app: AppHandle,
    request: tauri::ipc::Request<'_>,
) -> Result<bool, String> {
    let InvokeBody::Raw(content) = request.body() else {
        return Err("a file is sent as it is".to_owned());
    };
    let content = content.clone();
    let name = request.headers().get("file-name");
    let name = percent_decode(name.map_or(b"", HeaderValue::as_bytes)).decode_utf8_lossy();
    let (done, chosen) = oneshot::channel();
    let dialog = app.dialog().file().set_file_name(window::file_name(&name));
    dialog.save_file(|file| {
        // Nobody waits any more when the window is gone.
        done.send(file).ok();
    });
    let Ok(Some(file)) = chosen.await else {
        return Ok(false);
    };
    let path = file.into_path().map_err(|error| error.to_string())?;
    std::fs::write(path, content).map_err(|error| error.to_string())?;
    Ok(true)
}
