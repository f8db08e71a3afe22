//! Templates as people and programs see them.

use std::process::ExitCode;

use orchestra_config::quantity::format_duration;
use orchestra_core::{Template, visible, visible_line};
use orchestra_engine::{StoredTemplate, TemplateOrigin};
use orchestra_server::template;

use crate::Done;
use crate::context::Context;
use crate::printer::{BOLD, DIM};
use crate::render::{screen, table::Table};

pub(super) fn list(context: &Context) -> Done {
    let root = context.root.as_deref();
    if context.printer.json {
        let list = template::list(&context.engine, root)?;
        context.printer.json(&list);
        return Ok(ExitCode::SUCCESS);
    }
    let listing = context.engine.templates(root)?;
    for (file, problem) in &listing.damaged {
        let file = screen::path(file);
        context
            .printer
            .warn(format!("{file} is left out: {problem}"));
    }
    if listing.templates.is_empty() {
        context.printer.note(
            "there are no templates; `orchestra template save <name> --from <session>` makes one of a session",
        );
        return Ok(ExitCode::SUCCESS);
    }
    context.printer.line(table(&listing.templates));
    Ok(ExitCode::SUCCESS)
}

fn table(templates: &[StoredTemplate]) -> Table {
    let mut table = Table::new(&["NAME", "FROM", "VARIABLES", "WHAT"]);
    let mut before = None;
    for stored in templates {
        let from = match (stored.origin, before == Some(&stored.name)) {
            (TemplateOrigin::User, _) => "you",
            (TemplateOrigin::Repository, false) => "repository",
            (TemplateOrigin::Repository, true) => "repository (yours is used)",
        };
        let variables = stored.template.all_variables();
        table.add([
            stored.name.to_string(),
            from.to_owned(),
            variables.into_keys().collect::<Vec<_>>().join(", "),
            what(&stored.template),
        ]);
        before = Some(&stored.name);
    }
    table
}

/// What a template is for: as it says itself, or as its prompt begins.
fn what(template: &Template) -> String {
    let text = template.description.as_ref().or(template.prompt.as_ref());
    let first = text.and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    visible_line(first.unwrap_or_default())
}

pub(super) fn one(context: &Context, stored: &StoredTemplate) -> Done {
    if context.printer.json {
        return super::answer(context, stored);
    }
    for warning in stored.unknown() {
        context.printer.warn(warning);
    }
    let printer = &context.printer;
    printer.line(format!("{BOLD}{}{BOLD:#}", stored.name));
    for (label, value) in rows(stored) {
        printer.line(format!("  {label:<11} {}", visible_line(&value)));
    }
    for (name, variable) in stored.template.all_variables() {
        let default = match &variable.default {
            Some(default) => format!("[default: {default}]"),
            None => "must be given".to_owned(),
        };
        let parts = [Some(name), variable.description, Some(default)];
        let line = parts.into_iter().flatten().collect::<Vec<_>>().join("  ");
        let line = visible_line(&line);
        printer.line(format!("  {:<11} {line}", "variable"));
    }
    if let Some(prompt) = &stored.template.prompt {
        printer.line(format!("\n{}", visible(prompt.trim_end())));
    }
    printer.note(format!("\n{DIM}{}{DIM:#}", use_line(stored)));
    Ok(ExitCode::SUCCESS)
}

/// What a template says, apart from its prompt; what it does not say is left out.
fn rows(stored: &StoredTemplate) -> Vec<(&'static str, String)> {
    let template = stored.template.clone();
    let path = |path: std::path::PathBuf| path.display().to_string();
    let names = |names: Vec<String>| (!names.is_empty()).then(|| names.join(", "));
    let wishes = template.runtime;
    let rows = [
        ("for", template.description),
        ("file", Some(path(stored.file.clone()))),
        ("repository", template.repository.map(path)),
        ("base", template.base.map(String::from)),
        ("script", template.script),
        ("agent", template.agent),
        ("model", template.model),
        ("env", wishes.environment),
        ("mode", wishes.mode),
        ("budget", wishes.budget.map(String::from)),
        ("isolation", wishes.isolation.map(|word| word.to_string())),
        ("toolbox", names(wishes.toolboxes)),
        ("mcp", names(wishes.mcp)),
        ("timeout", template.timeout.map(format_duration)),
    ];
    let rows = rows.into_iter();
    rows.filter_map(|(label, value)| Some((label, value?)))
        .collect()
}

/// The command that makes a session from a template.
pub(super) fn use_line(stored: &StoredTemplate) -> String {
    let needed = stored.template.all_variables().into_iter();
    let needed = needed.filter(|(_, variable)| variable.default.is_none());
    let variables: String = needed
        .map(|(name, _)| format!(" --var {name}=..."))
        .collect();
    let prompt = match stored.template.prompt {
        Some(_) => "",
        None => " --prompt \"...\"",
    };
    format!(
        "orchestra session new --template {} --name ...{prompt}{variables}",
        stored.name
    )
}
