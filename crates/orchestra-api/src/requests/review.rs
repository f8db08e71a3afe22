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

/// A window that is to be opened.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenWindow {
    /// What shows the worktree.
    pub with: WindowKind,
}

/// What a window shows a worktree with.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowKind {
    /// The editor of the setting `ui.editor`, or VS Code.
    Editor,
    /// A terminal with a shell that has the session's ports and variables.
    Terminal,
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
