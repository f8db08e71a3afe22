//! Bodies about files, scripts, servers and set-ups.

use serde::Deserialize;
use utoipa::ToSchema;

/// A file that is to be saved. One of `text` and `base64` says what is in it.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveFile {
    /// The content as text.
    pub text: Option<String>,
    /// The content as base64.
    pub base64: Option<String>,
    /// The version that is replaced, as reading it told; absent: a new file, which must not be there yet.
    pub version: Option<String>,
    /// Also while something works on the session.
    #[serde(default)]
    pub while_running: bool,
}

/// A script that is to be run.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartScript {
    /// The script's name; absent: the session's own script, or `test` of the repository.
    pub script: Option<String>,
    /// Also in a session whose set-up did not come to a good end.
    #[serde(default)]
    pub without_setup: bool,
    /// Allow the script if it comes from the repository's own settings file.
    #[serde(default)]
    pub allow_commands: bool,
}

/// A server that is to be started, or started again.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartServer {
    /// Also in a session whose set-up did not come to a good end.
    #[serde(default)]
    pub without_setup: bool,
    /// Allow the script if it comes from the repository's own settings file.
    #[serde(default)]
    pub allow_commands: bool,
}

/// A set-up that is to be started.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartSetup {
    /// Allow its commands if they come from the repository's own settings file.
    #[serde(default)]
    pub allow_commands: bool,
}
