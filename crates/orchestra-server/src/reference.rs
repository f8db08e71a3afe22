//! The document as a page of the documentation.

use std::fmt::Write;

use utoipa::openapi::OpenApi;

use crate::page::by_tag;

/// All operations in Markdown.
#[must_use]
pub fn reference_markdown() -> String {
    let document = crate::document();
    let mut page = String::from(
        "# HTTP API\n\nThis page is generated from the program: `cargo xtask reference`. \
         Bodies and answers are in [openapi.json](openapi.json); [the guide](../api.md) has examples.\n",
    );
    write_operations(&mut page, &document);
    page
}

/// The document itself.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn openapi_json() -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&crate::document())? + "\n")
}

fn write_operations(page: &mut String, document: &OpenApi) {
    for (tag, rows) in by_tag(document) {
        // Writing to a text cannot fail.
        write!(
            page,
            "\n## {tag}\n\n| operation | request | does |\n|---|---|---|\n"
        )
        .ok();
        for row in rows {
            let id = row.operation.operation_id.as_deref().unwrap_or_default();
            let summary = row.operation.summary.as_deref().unwrap_or_default();
            writeln!(
                page,
                "| `{id}` | `{} {}` | {summary} |",
                row.method, row.path
            )
            .ok();
        }
    }
}
