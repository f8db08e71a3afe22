//! The web page: files that were built before this program and are part of it. A debug build reads them where they were
//! built, so that the page can be built again without the program.

use std::borrow::Cow;
use std::fmt::Write;

use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

/// What `cargo xtask web` built; nothing if it was not run.
#[derive(RustEmbed)]
#[folder = "../../apps/web/dist"]
#[allow_missing = true]
struct Built;

const INDEX: &str = "index.html";
/// Files below it have a hash of their content in their name.
const HASHED: &str = "assets/";
const FOR_GOOD: &str = "public, max-age=31536000, immutable";
const ASK_AGAIN: &str = "no-cache";

/// No script in the page, nothing from elsewhere, in no frame. Styles in the page are allowed: libraries set them, and
/// they can load nothing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                      font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

const NOT_BUILT: &str = "The page is not built into this program: run `cargo xtask web`, then build it again. \
                         /api lists the operations.\n";

/// The page's own words for how to take answers.
const RULES: [(&str, &str); 5] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Adds to every answer how a browser has to take it.
pub(crate) async fn rules(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in RULES {
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A file of the page; the page itself where there is none, because addresses in the page are its own business.
pub(crate) fn answer(path: &str, headers: &HeaderMap) -> Response {
    answer_from(path, headers, Built::get)
}

fn answer_from(
    path: &str,
    headers: &HeaderMap,
    get: impl Fn(&str) -> Option<EmbeddedFile>,
) -> Response {
    let wanted = path.trim_start_matches('/');
    let name = match get(wanted) {
        Some(_) => wanted,
        None if wanted.starts_with(HASHED) => return StatusCode::NOT_FOUND.into_response(),
        None => INDEX,
    };
    let Some(plain) = get(name) else {
        return (StatusCode::NOT_FOUND, NOT_BUILT).into_response();
    };
    let tag = tag(&plain);
    let cached = if name.starts_with(HASHED) {
        FOR_GOOD
    } else {
        ASK_AGAIN
    };
    let common = [
        (CACHE_CONTROL, cached.to_owned()),
        (ETAG, tag.clone()),
        (VARY, ACCEPT_ENCODING.to_string()),
    ];
    if headers.get(IF_NONE_MATCH).is_some_and(|it| *it == *tag) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let kind = [(CONTENT_TYPE, media_type(name))];
    match packed(name, headers, &get) {
        Some((encoding, file)) => {
            let encoding = [(CONTENT_ENCODING, encoding)];
            (common, kind, encoding, bytes(file.data)).into_response()
        }
        None => (common, kind, bytes(plain.data)).into_response(),
    }
}

/// The same file in the smallest form that the browser takes.
fn packed(
    name: &str,
    headers: &HeaderMap,
    get: impl Fn(&str) -> Option<EmbeddedFile>,
) -> Option<(&'static str, EmbeddedFile)> {
    let taken = headers.get(ACCEPT_ENCODING)?.to_str().ok()?;
    let mut forms = [("br", "br"), ("gzip", "gz")].into_iter();
    forms.find_map(|(encoding, ending)| {
        let is_taken = taken.split(',').any(|it| it.trim() == encoding);
        let file = get(&format!("{name}.{ending}"));
        Some((encoding, file.filter(|_| is_taken)?))
    })
}

fn bytes(data: Cow<'static, [u8]>) -> axum::body::Body {
    match data {
        Cow::Borrowed(data) => data.into(),
        Cow::Owned(data) => data.into(),
    }
}

fn tag(file: &EmbeddedFile) -> String {
    let hash = file.metadata.sha256_hash();
    let mut tag = String::from("\"");
    for byte in &hash[..16] {
        // Writing to a text cannot fail.
        write!(tag, "{byte:02x}").ok();
    }
    tag.push('"');
    tag
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
