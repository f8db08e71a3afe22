//! Slash commands as people and programs see them.

use orchestra_api::{SlashAnswer, SlashCommand};
use orchestra_core::{visible, visible_line};
use orchestra_engine::SlashListing;
use orchestra_server::slash;

use crate::context::Context;
use crate::error::CliError;
use crate::printer::{BOLD, DIM};
use crate::render::{screen, table::Table};

pub(super) fn names(context: &Context, listing: &SlashListing) {
    for command in slash::all(listing).iter().filter(|command| command.is_used) {
        context.printer.line(format!("/{}", command.name));
    }
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
