use axum::http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use rust_embed::Metadata;

use super::*;

fn built(name: &str) -> Option<EmbeddedFile> {
    let content: &'static [u8] = match name {
        "index.html" => b"<!doctype html>",
        "assets/index-abc123.js" => b"let plain",
        "assets/index-abc123.js.br" => b"brotli",
        "assets/index-abc123.js.gz" => b"gzip",
        "icon.svg" => b"<svg/>",
        _ => return None,
    };
    let mut hash = [0; 32];
    hash[0] = u8::try_from(content.len()).unwrap();
    Some(EmbeddedFile {
        data: Cow::Borrowed(content),
        metadata: Metadata::__rust_embed_new(hash, None, None),
    })
}

fn asked(path: &str, headers: &[(axum::http::HeaderName, &'static str)]) -> Response {
    let headers = headers.iter().cloned();
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    answer_from(path, &headers.collect(), built)
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    let value = response.headers().get(name);
    value.map_or("", |value| value.to_str().unwrap())
}

async fn text(response: Response) -> String {
    let body = axum::body::to_bytes(response.into_body(), 4096).await;
    String::from_utf8(body.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn every_address_of_the_page_leads_to_it() {
    for path in ["/", "/index.html", "/sessions/7py67r", "/settings?text=x"] {
        let response = asked(path, &[]);
        assert_eq!(
            header(&response, "content-type"),
            "text/html; charset=utf-8"
        );
        assert_eq!(header(&response, "cache-control"), "no-cache");
        assert_eq!(text(response).await, "<!doctype html>");
    }
}

#[tokio::test]
async fn a_file_with_a_hash_stays_for_good_and_comes_packed() {
    let path = "/assets/index-abc123.js";
    let taken = |forms| asked(path, &[(ACCEPT_ENCODING, forms)]);
    let response = taken("gzip, deflate, br");
    assert_eq!(header(&response, "cache-control"), FOR_GOOD);
    assert_eq!(header(&response, "content-encoding"), "br");
    assert_eq!(text(response).await, "brotli");
    assert_eq!(text(taken("gzip")).await, "gzip");
    let response = asked(path, &[]);
    assert_eq!(header(&response, "content-encoding"), "");
    assert_eq!(text(response).await, "let plain");
}

#[test]
fn a_file_with_a_hash_that_is_gone_is_not_the_page() {
    let response = asked("/assets/index-old.js", &[]);
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
}

#[test]
fn what_the_browser_has_is_not_sent_again() {
    let first = asked("/icon.svg", &[]);
    assert_eq!(
        header(&first, "etag"),
        "\"06000000000000000000000000000000\""
    );
    let tag = "\"06000000000000000000000000000000\"";
    let again = asked("/icon.svg", &[(IF_NONE_MATCH, tag)]);
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
}

#[tokio::test]
async fn without_the_page_one_line_says_how_to_build_it() {
    let response = answer_from("/", &HeaderMap::new(), |_| None);
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    let text = text(response).await;
    assert!(text.contains("`cargo xtask web`"), "{text}");
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn the_policy_allows_no_script_in_the_page_and_no_frame() {
    let rule = |name: &str| {
        let mut rules = POLICY.split("; ").map(str::trim);
        rules.find(|rule| rule.starts_with(name)).map(str::to_owned)
    };
    assert_eq!(rule("script-src").unwrap(), "script-src 'self'");
    assert_eq!(rule("default-src").unwrap(), "default-src 'none'");
    assert_eq!(rule("frame-ancestors").unwrap(), "frame-ancestors 'none'");
}
