//! The document as a page for people. It needs no script and nothing from elsewhere.

use std::fmt::Write;

use utoipa::openapi::OpenApi;

use crate::described::{Described, Field, Operation, Type};

const STYLE: &str = "\
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:68rem;margin:2rem auto;padding:0 1rem}\
code{font-family:ui-monospace,monospace;font-size:.92em}h2{margin-top:2.5rem;border-bottom:1px solid #8884}\
details{border-bottom:1px solid #8883;padding:.4rem 0}summary{cursor:pointer}\
table{border-collapse:collapse;margin:.5rem 0 1rem}td,th{text-align:left;vertical-align:top;padding:.15rem 1rem .15rem 0}\
th{font-weight:600}.m{display:inline-block;min-width:4.5rem;font-weight:600}.q{opacity:.75}";

/// The page of a document.
pub(crate) fn html(document: &OpenApi) -> String {
    let described = Described::of(document);
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Amp Orchestra: HTTP API</title><style>{STYLE}</style>\
         <h1>HTTP API</h1><p>Every operation wants <code>Authorization: Bearer &lt;token&gt;</code>; \
         <code>orchestra serve --token</code> prints it. Failures are an <a href=\"#ErrorReport\">ErrorReport</a>. \
         The whole document for programs is at <code>/api/v1/openapi.json</code>, with the token.</p>"
    );
    for (tag, operations) in &described.operations {
        // Writing to a text cannot fail.
        write!(page, "<h2>{}</h2>", escaped(tag)).ok();
        for operation in operations {
            write_operation(&mut page, operation);
        }
    }
    page.push_str("<h2>Types</h2>");
    for described in &described.types {
        write_type(&mut page, described);
    }
    page.push_str("</html>");
    page
}

fn write_operation(page: &mut String, operation: &Operation) {
    let id = &operation.id;
    write!(
        page,
        "<details id=\"{id}\"><summary><span class=m>{}</span><code>{}</code> <span class=q>{}</span></summary>\
         <p><code>{id}</code></p><p>{}</p>",
        operation.method,
        escaped(&operation.path),
        escaped(&operation.summary),
        escaped(&operation.more),
    )
    .ok();
    write_fields(page, "parameter", &operation.parameters);
    if let Some(body) = &operation.body {
        write!(page, "<p>Body: {}</p>", linked(body)).ok();
    }
    if let Some((status, answer)) = &operation.answer {
        write!(page, "<p>Answer: {status}, {}</p>", linked(answer)).ok();
    }
    page.push_str("</details>");
}

fn write_type(page: &mut String, described: &Type) {
    let name = &described.name;
    write!(
        page,
        "<details id=\"{name}\"><summary><code>{name}</code> <span class=q>{}</span></summary>",
        escaped(&described.about),
    )
    .ok();
    if let Some(is) = &described.is {
        write!(page, "<p>{}</p>", escaped(is)).ok();
    }
    write_fields(page, "field", &described.fields);
    page.push_str("</details>");
}

fn write_fields(page: &mut String, what: &str, fields: &[Field]) {
    if fields.is_empty() {
        return;
    }
    write!(page, "<table><tr><th>{what}<th>value<th>").ok();
    for field in fields {
        let need = if field.is_required {
            ""
        } else {
            " <span class=q>(optional)</span>"
        };
        write!(
            page,
            "<tr><td><code>{}</code>{need}<td>{}<td>{}",
            escaped(&field.name),
            linked(&field.kind),
            escaped(&field.about),
        )
        .ok();
    }
    page.push_str("</table>");
}

/// Names of types lead to them: they are the words that begin with a capital letter.
fn linked(kind: &str) -> String {
    let words = kind.split(' ').map(|word| {
        match word
            .chars()
            .next()
            .is_some_and(|first| first.is_ascii_uppercase())
        {
            true => format!("<a href=\"#{0}\">{0}</a>", escaped(word)),
            false => escaped(word),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
