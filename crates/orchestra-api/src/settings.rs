//! Settings on the wire.

use std::path::PathBuf;

use serde::Serialize;
use utoipa::ToSchema;

/// One setting in force.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Setting {
    /// Its name.
    pub key: String,
    /// Its value as it would be typed.
    pub value: Option<String>,
    /// Where the value comes from.
    pub origin: String,
    /// What it does.
    pub description: &'static str,
    /// Whether any command of this version looks at it.
    pub is_used: bool,
}

/// Settings in force, and what was left out.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SettingsList {
    /// The settings.
    pub settings: Vec<Setting>,
    /// What was left out, in words.
    pub warnings: Vec<String>,
}

/// A setting after a file was changed.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SettingChanged {
    /// What is in force now, which need not be what was just set: another layer may come before the file.
    pub setting: Setting,
    /// Whether the file had a value before it was taken out; always true for one that was set.
    pub was_changed: bool,
    /// What the file itself said before; `null` if it said nothing.
    pub former: Option<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Where the settings files are, whether or not they exist.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SettingsFiles {
    /// The user's.
    #[schema(value_type = String)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub user: PathBuf,
    /// The repository's.
    #[schema(value_type = Option<String>)]
    #[serde(serialize_with = "orchestra_core::path_as_text")]
    pub repository: Option<PathBuf>,
}
