//! What a slash command is called.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use utoipa::ToSchema;

const LONGEST: usize = 60;

/// What a slash command is called, without the slash: also the name of its file, so it is plain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
pub struct SlashName(String);

/// A name that no slash command can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a name for a slash command: lower-case letters, digits, `-` and `_`, at most {LONGEST}, the first a letter or digit"
)]
pub struct InvalidSlashName(String);

impl SlashName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SlashName {
    type Err = InvalidSlashName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit();
        let is_good = text.len() <= LONGEST
            && text.starts_with(is_plain)
            && text
                .chars()
                .all(|char| is_plain(char) || char == '-' || char == '_');
        match is_good {
            true => Ok(Self(text.to_owned())),
            false => Err(InvalidSlashName(text.to_owned())),
        }
    }
}

impl fmt::Display for SlashName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}
