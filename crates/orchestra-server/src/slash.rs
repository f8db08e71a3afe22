//! Slash commands as wire types.

use orchestra_api::{DamagedSlash, SlashAnswer, SlashCommand, SlashList, SlashParameter};
use orchestra_core::slash::{BuiltIn, Need, Parameter};
use orchestra_engine::{Engine, EngineError, SlashListing, StoredSlash};

/// What the commands of the product have for an origin.
pub const BUILT_IN: &str = "built_in";

pub fn list(engine: &Engine, listing: &SlashListing) -> Result<SlashList, EngineError> {
    let damaged = listing.damaged.iter().cloned();
    Ok(SlashList {
        seq: engine.last_seq()?,
        commands: all(listing),
        damaged: damaged
            .map(|(file, problem)| DamagedSlash { file, problem })
            .collect(),
    })
}

/// The one with a name, with or without the slash.
pub fn find(
    engine: &Engine,
    name: &str,
    root: Option<&std::path::Path>,
) -> Result<SlashAnswer, EngineError> {
    let name = name.trim_start_matches('/');
    let command = match BuiltIn::from_name(name) {
        Some(command) => built_in(command),
        None => written(&engine.slash_command(name, root)?, true),
    };
    let seq = engine.last_seq()?;
    Ok(SlashAnswer { seq, command })
}

/// Those that are built in first: no other one can have their names.
pub fn all(listing: &SlashListing) -> Vec<SlashCommand> {
    let mut commands: Vec<_> = BuiltIn::ALL.iter().copied().map(built_in).collect();
    for stored in &listing.commands {
        let name = stored.command.name.as_str();
        let is_used = commands.iter().all(|before| before.name != name);
        commands.push(written(stored, is_used));
    }
    commands
}

fn built_in(command: BuiltIn) -> SlashCommand {
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

fn written(stored: &StoredSlash, is_used: bool) -> SlashCommand {
    let command = &stored.command;
    SlashCommand {
        name: command.name.to_string(),
        origin: stored.origin.name(),
        file: Some(stored.file.clone()),
        is_used,
        description: command.description.clone(),
        usage: command.usage(),
        parameters: command.parameters.iter().map(parameter).collect(),
        prompt: Some(command.body.clone()),
    }
}

fn parameter(parameter: &Parameter) -> SlashParameter {
    SlashParameter {
        name: parameter.name.clone(),
        description: parameter.description.clone(),
        default: match &parameter.need {
            Need::Required => None,
            Need::Optional(value) => Some(value.clone()),
        },
    }
}
