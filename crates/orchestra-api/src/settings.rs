//! Settings on the wire.

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
