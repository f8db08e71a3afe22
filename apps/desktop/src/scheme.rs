//! The address under which the page finds itself and the engine: a scheme of the window's own, which no other program can ask.

use axum::body::Body;
use http_body_util::BodyExt;
use tauri::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use tauri::http::{Request, Response, StatusCode};
use tauri::{Manager, Runtime, UriSchemeContext, UriSchemeResponder};

use crate::engine::Engine;
use crate::window;

/// The scheme's name.
pub(crate) const NAME: &str = "engine";
/// Where the page begins.
pub(crate) const ADDRESS: &str = "engine://localhost/";

/// The page's own policy, with the way to the shell. Nothing comes from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                      font-src 'self'; connect-src 'self' ipc: http://ipc.localhost; manifest-src 'self'; worker-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Passes a request of the page on to the engine. Only the main window has an engine to ask.
#[expect(clippy::needless_pass_by_value, reason = "the window hands it over")]
pub(crate) fn answer<R: Runtime>(
    context: UriSchemeContext<'_, R>,
    request: Request<Vec<u8>>,
    responder: UriSchemeResponder,
) {
    let app = context.app_handle();
    let engine = app.try_state::<Engine>().map(|it| it.inner().clone());
    let Some(engine) = engine.filter(|_| context.webview_label() == window::LABEL) else {
        responder.respond(refusal(StatusCode::FORBIDDEN));
        return;
    };
    tauri::async_runtime::spawn(async move {
        let answer = engine.answer(request.map(Body::from)).await;
        responder.respond(whole(answer).await);
    });
}

/// The window takes answers in one piece; the stream of events goes another way.
async fn whole(answer: Response<Body>) -> Response<Vec<u8>> {
    let (mut parts, body) = answer.into_parts();
    let Ok(body) = body.collect().await else {
        return refusal(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let is_page = parts.headers.get(CONTENT_TYPE).is_some_and(is_html);
    if is_page {
        let policy = HeaderValue::from_static(POLICY);
        parts.headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    Response::from_parts(parts, body.to_bytes().to_vec())
}

fn is_html(kind: &HeaderValue) -> bool {
    kind.as_bytes().starts_with(b"text/html")
}

fn refusal(status: StatusCode) -> Response<Vec<u8>> {
    let mut answer = Response::new(Vec::new());
    *answer.status_mut() = status;
    answer
}
