//! The document as a page of the documentation.

use std::fmt::Write;

use crate::described::{Described, Field, Operation, Type};

/// All operations and types in Markdown.
#[must_use]
pub fn reference_markdown() -> String {
    let described = Described::of(&crate::document());
    let mut page = String::from(
        "# HTTP API\n\nThis page is generated from the program: `cargo xtask reference`. \
         [openapi.json](openapi.json) is the same for programs; [the guide](../api.md) has examples. \
         Failures are an `ErrorReport`.\n",
    );
    for (tag, operations) in &described.operations {
        // Writing to a text cannot fail.
        write!(page, "\n## {tag}\n").ok();
        for operation in operations {
            write_operation(&mut page, operation);
        }
    }
    page.push_str("\n## Types\n");
    for described in &described.types {
        write_type(&mut page, described);
    }
    page
}

/// The document itself.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn openapi_json() -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&crate::document())? + "\n")
}

fn write_operation(page: &mut String, operation: &Operation) {
    let Operation {
        id,
        method,
        path,
        summary,
        more,
        ..
    } = operation;
    write!(page, "\n### {id}\n\n`{method} {path}`: {summary}.\n").ok();
    if !more.is_empty() {
        write!(page, "\n{more}\n").ok();
    }
    write_fields(page, "parameter", &operation.parameters);
    let mut lines = Vec::new();
    lines.extend(operation.body.iter().map(|body| format!("Body: {body}.")));
    let answer = operation.answer.iter();
    lines.extend(answer.map(|(status, kind)| format!("Answer: {status}, {kind}.")));
    write!(page, "\n{}\n", lines.join(" ")).ok();
}

fn write_type(page: &mut String, described: &Type) {
    let Type {
        name,
        about,
        is,
        fields,
    } = described;
    write!(page, "\n### {name}\n").ok();
    let is = is.as_ref().map(|is| format!("{is}."));
    let about = Some(about.clone()).filter(|about| !about.is_empty());
    let lines: Vec<String> = about.into_iter().chain(is).collect();
    if !lines.is_empty() {
        write!(page, "\n{}\n", lines.join(" ")).ok();
    }
    write_fields(page, "field", fields);
}

fn write_fields(page: &mut String, what: &str, fields: &[Field]) {
    if fields.is_empty() {
        return;
    }
    write!(page, "\n| {what} | value | |\n|---|---|---|\n").ok();
    for field in fields {
        let need = if field.is_required { "" } else { ", optional" };
        let in_cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
        let (name, kind, about) = (&field.name, in_cell(&field.kind), in_cell(&field.about));
        writeln!(page, "| `{name}` | {kind}{need} | {about} |").ok();
    }
}
