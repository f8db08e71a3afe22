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
