//! Slash commands on the wire.

use std::path::PathBuf;

use serde::Serialize;
use utoipa::ToSchema;

/// Every slash command there is.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SlashList {
    /// The newest event it includes.
    pub seq: u64,
    /// Those that are built in, then the others by name.
    pub commands: Vec<SlashCommand>,
    /// Files that cannot be used.
    pub damaged: Vec<DamagedSlash>,
}

/// One slash command.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SlashAnswer {
    /// The newest event it includes.
    pub seq: u64,
    /// The slash command.
    pub command: SlashCommand,
}

/// A file that cannot be used.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DamagedSlash {
    /// The file.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub file: PathBuf,
    /// Why.
    pub problem: String,
}

/// What a text that begins with a slash can ask for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SlashCommand {
    /// Its name, without the slash.
    pub name: String,
    /// `built_in`, `user`, or `repository` for one that is part of the repository.
    pub origin: &'static str,
    /// Its file; `null` if it is built in.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub file: Option<PathBuf>,
    /// Whether its name means this one and not another one of the same name.
    pub is_used: bool,
    /// What it does.
    pub description: Option<String>,
    /// How it is written.
    pub usage: String,
    /// What it takes, in order; empty if it is built in.
    pub parameters: Vec<SlashParameter>,
    /// What the agent is told; `null` if it is built in.
    pub prompt: Option<String>,
}

/// Something that a slash command takes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SlashParameter {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub description: Option<String>,
    /// Its value if nobody gives one; `null`: one must be given.
    pub default: Option<String>,
}
