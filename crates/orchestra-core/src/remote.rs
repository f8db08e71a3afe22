//! Names of remotes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::branch::problem_of;

/// A remote of a repository, such as `origin`.
///
/// The name stands in a file that others can write, and becomes part of references and command lines: it has to be as plain as
/// that of a branch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, ToSchema, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String)]
pub struct RemoteName(String);

/// Why the name of a remote is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a usable name of a remote: {reason}")]
pub struct InvalidRemote {
    name: String,
    reason: &'static str,
}

impl RemoteName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RemoteName {
    type Err = InvalidRemote;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match problem_of(name) {
            Some(reason) => Err(InvalidRemote {
                name: name.to_owned(),
                reason,
            }),
            None => Ok(Self(name.to_owned())),
        }
    }
}

impl TryFrom<String> for RemoteName {
    type Error = InvalidRemote;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<RemoteName> for String {
    fn from(name: RemoteName) -> Self {
        name.0
    }
}

impl fmt::Display for RemoteName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_option_and_stays_below_its_folder() {
        for name in ["origin", "up-stream", "team/origin"] {
            assert!(name.parse::<RemoteName>().is_ok(), "{name}");
        }
        for name in [
            "",
            ".",
            "-x",
            "--upload-pack=x",
            "../x",
            "a/../b",
            "/a",
            "a//b",
            "a b",
        ] {
            assert!(name.parse::<RemoteName>().is_err(), "{name}");
        }
    }
}
