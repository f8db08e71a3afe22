//! Who may ask, decided where a connection comes in. A page of another site must get nowhere: not by a name that leads to
//! this machine, not by a form, not by a script.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::document::PREFIX;
use crate::error::ApiError;
use crate::token::Token;

/// What a listener lets in.
#[derive(Debug)]
pub(crate) struct Gate {
    token: Token,
    /// Names under which this server may be asked for, with and without its port.
    hosts: Vec<String>,
    /// Pages that may ask.
    origins: Vec<String>,
}

impl Gate {
    /// For a server at an address; `names` are others that lead to it.
    pub(crate) fn new(token: Token, address: SocketAddr, scheme: &str, names: &[String]) -> Self {
        let port = address.port();
        let own = ["127.0.0.1", "localhost", "[::1]"].map(str::to_owned);
        let bound = match address {
            SocketAddr::V4(it) => it.ip().to_string(),
            SocketAddr::V6(it) => format!("[{}]", it.ip()),
        };
        let all: Vec<String> = own
            .into_iter()
            .chain([bound])
            .chain(names.to_vec())
            .collect();
        let with_port = all.iter().map(|name| format!("{name}:{port}"));
        let origins = with_port.clone().map(|name| format!("{scheme}://{name}"));
        Self {
            token,
            origins: origins.collect(),
            hosts: with_port.chain(all.iter().cloned()).collect(),
        }
    }

    fn check(&self, request: &Request) -> Result<(), ApiError> {
        let headers = request.headers();
        let host = text(headers, HOST.as_str());
        // Whoever asks for a whole address means the name in it.
        let target = request.uri().authority().map(Authority::as_str);
        let is_own = |name: &str| self.hosts.contains(&name.to_ascii_lowercase());
        if !host.is_some_and(is_own) || !target.is_none_or(is_own) {
            return Err(ApiError::new(
                StatusCode::MISDIRECTED_REQUEST,
                "request.host",
                "this server is not asked for under that name",
                "use 127.0.0.1 or localhost",
            ));
        }
        if headers.contains_key(ORIGIN) && !self.is_own_origin(headers) {
            return Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "request.origin",
                "a page of another origin may not ask this server",
                "open the page of this server itself",
            ));
        }
        if is_public(request) {
            return Ok(());
        }
        self.check_token(headers)?;
        check_media_type(request)
    }

    fn is_own_origin(&self, headers: &HeaderMap) -> bool {
        let origin = text(headers, ORIGIN.as_str());
        origin.is_some_and(|origin| self.origins.iter().any(|own| own == origin))
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let given = text(headers, AUTHORIZATION.as_str());
        let given = given.and_then(|given| given.split_once(' '));
        let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let given = given.map(|(_, token)| token);
        if given.is_some_and(|given| self.token.is(given)) {
            return Ok(());
        }
        Err(ApiError::new(
            StatusCode::UNAUTHORIZED,
            "request.token",
            "the token is missing or wrong",
            "send `Authorization: Bearer <token>`; `orchestra serve --token` prints it",
        ))
    }
}

/// A form of another site can send text, but no JSON.
fn check_media_type(request: &Request) -> Result<(), ApiError> {
    let headers = request.headers();
    let media_type = text(headers, CONTENT_TYPE.as_str());
    let is_json = media_type.is_none_or(|it| {
        let essence = it.split(';').next().unwrap_or_default();
        essence.trim().eq_ignore_ascii_case("application/json")
    });
    if is_json || matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(());
    }
    Err(ApiError::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "request.media_type",
        "the body is no JSON",
        "send it as application/json",
    ))
}

/// The pages hold nothing of the user; whatever does is below the prefix of the operations.
fn is_public(request: &Request) -> bool {
    let path = request.uri().path();
    !path.starts_with(PREFIX) && matches!(*request.method(), Method::GET | Method::HEAD)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    // Two of them mean that somebody in between may see another one than we do.
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    all.next().is_none().then_some(first)?.to_str().ok()
}

/// Lets a request in, or answers it.
pub(crate) async fn gate(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    match gate.check(&request) {
        Ok(()) => next.run(request).await,
        Err(refused) => refused.into_response(),
    }
}
