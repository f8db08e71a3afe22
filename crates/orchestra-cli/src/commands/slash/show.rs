//! Slash commands as people and programs see them.

use orchestra_api::{SlashAnswer, SlashCommand};
use orchestra_core::{visible, visible_line};
use orchestra_engine::SlashListing;
use orchestra_server::slash;

use crate::context::Context;
use crate::error::CliError;
use crate::printer::{BOLD, DIM};
use crate::render::{screen, table::Table};

pub(super) fn names(context: &Context, listing: &SlashListing, begin: Option<&str>) {
    let mut commands = slash::all(listing);
    commands.retain(|command| command.is_used);
    let begin = begin.unwrap_or_default();
    let offered = match begin.rfind(char::is_whitespace) {
        Some(_) => parameters(&commands, begin),
        None => commands.iter().map(|it| format!("/{}", it.name)).collect(),
    };
    for text in offered.iter().filter(|text| text.starts_with(begin)) {
        context.printer.line(visible_line(text));
    }
}

/// A text that goes on with each parameter of its command that it does not name yet.
fn parameters(commands: &[SlashCommand], begin: &str) -> Vec<String> {
    let last = begin.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let Some((before, name)) = begin.get(..last).zip(begin.split_whitespace().next()) else {
        return Vec::new();
    };
    let is_meant = |it: &&SlashCommand| name.strip_prefix('/') == Some(it.name.as_str());
    let parameters = commands.iter().find(is_meant).map(|it| &it.parameters);
    let is_given = |name: &str| before.split_whitespace().any(|it| it.starts_with(name));
    parameters
        .into_iter()
        .flatten()
        .map(|parameter| format!("{}=", parameter.name))
        .filter(|name| !is_given(name))
        .map(|name| format!("{before}{name}"))
        .collect()
}

pub(super) fn list(context: &Context, listing: &SlashListing) -> Result<(), CliError> {
    if context.printer.json {
        context
            .printer
            .json(&slash::list(&context.engine, listing)?);
        return Ok(());
    }
    for (file, problem) in &listing.damaged {
        let file = screen::path(file);
        context
            .printer
            .warn(format!("{file} is left out: {problem}"));
    }
    let mut table = Table::new(&["COMMAND", "FROM", "WHAT"]);
    for command in slash::all(listing) {
        let from = from(&command).to_owned();
        table.add([command.usage, from, command.description.unwrap_or_default()]);
    }
    context.printer.line(table);
    Ok(())
}

fn from(command: &SlashCommand) -> &'static str {
    match (command.origin, command.is_used) {
        (slash::BUILT_IN, _) => "built in",
        ("user", _) => "you",
        (_, true) => "repository",
        (_, false) => "repository (yours is used)",
    }
}

pub(super) fn one(context: &Context, found: &SlashAnswer) {
    let printer = &context.printer;
    if printer.json {
        return printer.json(found);
    }
    let command = &found.command;
    printer.line(format!("{BOLD}{}{BOLD:#}", visible_line(&command.usage)));
    if let Some(description) = &command.description {
        printer.line(format!("  {}", visible_line(description)));
    }
    for parameter in &command.parameters {
        let what = parameter.description.as_deref().unwrap_or_default();
        let line = format!("  {}  {what}", parameter.name);
        printer.line(visible_line(line.trim_end()));
    }
    if let Some(file) = &command.file {
        printer.line(format!("  {DIM}{}{DIM:#}", screen::path(file)));
    }
    if let Some(prompt) = &command.prompt {
        printer.line(format!("\n{}", visible(prompt)));
    }
}
