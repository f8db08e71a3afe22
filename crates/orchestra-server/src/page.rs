//! The document as a page for people. It needs no script and nothing from elsewhere.

use std::fmt::Write;

use utoipa::openapi::path::Operation;
use utoipa::openapi::{OpenApi, PathItem};

const STYLE: &str = "\
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}\
code{font-family:ui-monospace,monospace}h2{margin-top:2.5rem;border-bottom:1px solid #8884}\
details{border-bottom:1px solid #8883;padding:.4rem 0}summary{cursor:pointer}\
.m{display:inline-block;min-width:4.5rem;font-weight:600}.q{opacity:.75}";

/// The page of a document.
pub(crate) fn html(document: &OpenApi) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Amp Orchestra: HTTP API</title><style>{STYLE}</style>\
         <h1>HTTP API</h1><p>Every operation wants <code>Authorization: Bearer &lt;token&gt;</code>. \
         The whole document: <a href=\"/api/v1/openapi.json\"><code>/api/v1/openapi.json</code></a> (with the token).</p>"
    );
    for (tag, operations) in by_tag(document) {
        write_section(&mut page, &tag, &operations);
    }
    page.push_str("</html>");
    page
}

/// An operation with its method and address.
pub(crate) struct Row<'a> {
    pub(crate) method: &'static str,
    pub(crate) path: &'a str,
    pub(crate) operation: &'a Operation,
}

/// Operations by what they are about, in the order of their names.
pub(crate) fn by_tag(document: &OpenApi) -> std::collections::BTreeMap<String, Vec<Row<'_>>> {
    let mut all = std::collections::BTreeMap::<String, Vec<Row<'_>>>::new();
    for (path, item) in &document.paths.paths {
        for (method, operation) in operations(item) {
            let tag = operation.tags.as_ref().and_then(|tags| tags.first());
            let tag = tag.map_or_else(|| "others".to_owned(), Clone::clone);
            all.entry(tag).or_default().push(Row {
                method,
                path,
                operation,
            });
        }
    }
    all
}

/// The operations at one address.
pub(crate) fn operations(item: &PathItem) -> impl Iterator<Item = (&'static str, &Operation)> {
    [
        ("GET", &item.get),
        ("POST", &item.post),
        ("PUT", &item.put),
        ("PATCH", &item.patch),
        ("DELETE", &item.delete),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

fn write_section(page: &mut String, tag: &str, rows: &[Row<'_>]) {
    // Writing to a text cannot fail.
    write!(page, "<h2>{}</h2>", escaped(tag)).ok();
    for row in rows {
        let id = row.operation.operation_id.as_deref().unwrap_or_default();
        let summary = row.operation.summary.as_deref().unwrap_or_default();
        let more = row.operation.description.as_deref().unwrap_or_default();
        write!(
            page,
            "<details id=\"{id}\"><summary><span class=m>{}</span><code>{}</code> <span class=q>{}</span></summary>\
             <p><code>{id}</code></p><p>{}</p></details>",
            row.method,
            escaped(row.path),
            escaped(summary),
            escaped(more),
        )
        .ok();
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
