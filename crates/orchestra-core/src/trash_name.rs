//! Names of entries in the trash: they are names of folders.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{SessionId, Timestamp};

const LONGEST: usize = 100;

/// The name of an entry, such as `k7m2qd-20261115-101530-123`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String)]
pub struct TrashName(String);

/// Why a name is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a name for something in the trash: letters, digits, `-` and `_` are allowed, up to {LONGEST} of them, with a letter or digit first"
)]
pub struct InvalidTrashName(String);

impl TrashName {
    /// What the worktree of a session is called that goes into the trash at this moment.
    #[must_use]
    pub fn of(session: &SessionId, at: Timestamp) -> Self {
        Self(format!("{session}-{}", at.strftime("%Y%m%d-%H%M%S-%3f")))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TrashName {
    type Err = InvalidTrashName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let starts_well = name.starts_with(|first: char| first.is_ascii_alphanumeric());
        if starts_well && name.len() <= LONGEST && name.bytes().all(is_plain) {
            Ok(Self(name.to_owned()))
        } else {
            Err(InvalidTrashName(name.to_owned()))
        }
    }
}

impl TryFrom<String> for TrashName {
    type Error = InvalidTrashName;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        name.parse()
    }
}

impl From<TrashName> for String {
    fn from(name: TrashName) -> Self {
        name.0
    }
}

impl fmt::Display for TrashName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_plain_folder() {
        for name in ["k7m2qd-fix-login", "1", "a_b"] {
            let parsed: TrashName = name.parse().unwrap();
            assert_eq!((parsed.as_str(), parsed.to_string().as_str()), (name, name));
            let text = serde_json::to_string(&parsed).unwrap();
            assert_eq!(serde_json::from_str::<TrashName>(&text).unwrap(), parsed);
        }
        let made = TrashName::of(&SessionId::from_random([0; 8]), Timestamp::UNIX_EPOCH);
        assert_eq!(made.as_str(), "222222-19700101-000000-000");
        assert_eq!(made.as_str().parse(), Ok(made));
        let long = "x".repeat(LONGEST + 1);
        for name in ["", ".", "..", "a/b", "a.deleting", "-x", "_x", "ä", &long] {
            assert!(name.parse::<TrashName>().is_err(), "{name}");
        }
    }
}
