//! Slash commands as people and programs see them.

use orchestra_api::{DamagedSlash, SlashAnswer, SlashCommand, SlashList, SlashParameter};
use orchestra_core::slash::{BuiltIn, Need, Parameter};
use orchestra_core::{visible, visible_line};
use orchestra_engine::{SlashListing, SlashOrigin, StoredSlash};

use crate::context::Context;
use crate::error::CliError;
use crate::printer::{BOLD, DIM};
use crate::render::{screen, table::Table};

const BUILT_IN: &str = "built_in";

pub(super) fn names(context: &Context, listing: &SlashListing) {
    for command in all(listing).iter().filter(|command| command.is_used) {
        context.printer.line(format!("/{}", command.name));
    }
}

pub(super) fn list(context: &Context, listing: &SlashListing) -> Result<(), CliError> {
    let commands = all(listing);
    if context.printer.json {
        let damaged = listing.damaged.iter().cloned();
        context.printer.json(&SlashList {
            seq: context.engine.last_seq()?,
            commands,
            damaged: damaged
                .map(|(file, problem)| DamagedSlash { file, problem })
                .collect(),
        });
        return Ok(());
    }
    for (file, problem) in &listing.damaged {
        let file = screen::path(file);
        context
            .printer
            .warn(format!("{file} is left out: {problem}"));
    }
    let mut table = Table::new(&["COMMAND", "FROM", "WHAT"]);
    for command in commands {
        let from = from(&command).to_owned();
        table.add([command.usage, from, command.description.unwrap_or_default()]);
    }
    context.printer.line(table);
    Ok(())
}

fn from(command: &SlashCommand) -> &'static str {
    match (command.origin, command.is_used) {
        (BUILT_IN, _) => "built in",
        ("user", _) => "you",
        (_, true) => "repository",
        (_, false) => "repository (yours is used)",
    }
}

pub(super) fn built_in(context: &Context, command: BuiltIn) -> Result<(), CliError> {
    one_of(context, wire_built_in(command))
}

pub(super) fn one(context: &Context, stored: &StoredSlash) -> Result<(), CliError> {
    one_of(context, wire(stored, true))
}

fn one_of(context: &Context, command: SlashCommand) -> Result<(), CliError> {
    let printer = &context.printer;
    if printer.json {
        let seq = context.engine.last_seq()?;
        printer.json(&SlashAnswer { seq, command });
        return Ok(());
    }
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
    Ok(())
}

/// Those that are built in first: no other one can have their names.
fn all(listing: &SlashListing) -> Vec<SlashCommand> {
    let mut commands: Vec<_> = BuiltIn::ALL.iter().copied().map(wire_built_in).collect();
    for stored in &listing.commands {
        let name = stored.command.name.as_str();
        let is_used = commands.iter().all(|before| before.name != name);
        commands.push(wire(stored, is_used));
    }
    commands
}

fn wire_built_in(command: BuiltIn) -> SlashCommand {
    SlashCommand {
        name: command.name().to_owned(),
        origin: BUILT_IN,
        file: None,
        is_used: true,
        description: Some(command.description().to_owned()),
        usage: command.usage().to_owned(),
        parameters: Vec::new(),
        prompt: None,
    }
}

fn wire(stored: &StoredSlash, is_used: bool) -> SlashCommand {
    let command = &stored.command;
    SlashCommand {
        name: command.name.to_string(),
        origin: match stored.origin {
            SlashOrigin::User => "user",
            SlashOrigin::Repository => "repository",
        },
        file: Some(stored.file.clone()),
        is_used,
        description: command.description.clone(),
        usage: command.usage(),
        parameters: command.parameters.iter().map(wire_parameter).collect(),
        prompt: Some(command.body.clone()),
    }
}

fn wire_parameter(parameter: &Parameter) -> SlashParameter {
    SlashParameter {
        name: parameter.name.clone(),
        description: parameter.description.clone(),
        default: match &parameter.need {
            Need::Required => None,
            Need::Optional(value) => Some(value.clone()),
        },
    }
}
