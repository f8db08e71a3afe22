//! Settings in layers, where each value knows its origin, and the environment the product reads and hands on.
//!
//! A later layer wins: default, user file, repository file, environment, command line. The table in [`keys`] is the
//! only list of settings: validation, variable names, the JSON Schema and the reference page all come from it.
//!
//! The repository file is written by others, perhaps by an agent, so it is not trusted: what names programs or loosens
//! safety is ignored there with a warning. This crate does not start programs, print or decide what to do with a value.

#![warn(missing_docs)]

mod check;
pub mod child_env;
mod choices;
pub mod dirs;
mod edit;
mod environment;
mod error;
mod file;
pub mod keys;
mod kind;
mod layers;
mod names;
mod origin;
pub mod quantity;
mod raw;
mod reference;
mod schema;
pub mod settings;
mod typed;
pub mod variables;
mod warning;
mod whole_file;

pub use choices::{ColorChoice, HumanChanges, OverQuota, Theme};
pub use dirs::{DataDirs, repository_file, user_file};
pub use edit::{SettingsFile, set, unset, unset_checked, value_in};
pub use environment::Environment;
pub use error::ConfigError;
pub use keys::{Key, Scope};
pub use kind::{Kind, command_words};
pub use layers::{Resolved, Sources, Value, command_lines_in, load, load_to_look};
pub use origin::{Origin, Place};
pub use reference::reference_markdown;
pub use schema::schema;
pub use settings::{
    DataSettings, DatabaseSettings, EnvironmentSettings, Environments, EquipmentSettings,
    LimitSettings, McpReach, McpSettings, ServerSettings, Settings, Told, WorktreeSettings,
};
pub use warning::{Refusal, Warning};
pub use whole_file::{SameName, write_whole};
