//! Who acts through a face that others than the user reach.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const PREFIX: &str = "mcp:";
const LONGEST: usize = 64;

/// Somebody who acts through the MCP server, written `mcp:<name>`. Where there is none, it was the user.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String)]
pub struct Caller(String);

impl Caller {
    /// The caller with a name.
    ///
    /// # Errors
    /// If the name is not made of a few letters, digits, dots, dashes and underlines.
    pub fn named(name: &str) -> Result<Self, InvalidCaller> {
        let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '-' | '_');
        let begins_well = name.starts_with(|it: char| it.is_ascii_alphanumeric());
        if !begins_well || name.len() > LONGEST || !name.chars().all(is_plain) {
            return Err(InvalidCaller(name.to_owned()));
        }
        Ok(Self(name.to_owned()))
    }
}

/// A text that names no caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no caller; take up to 64 letters, digits, dots, dashes and underlines, a letter or digit first"
)]
pub struct InvalidCaller(String);

impl fmt::Display for Caller {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{}", self.0)
    }
}

impl FromStr for Caller {
    type Err = InvalidCaller;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.strip_prefix(PREFIX);
        Self::named(name.ok_or_else(|| InvalidCaller(text.to_owned()))?)
    }
}

impl TryFrom<String> for Caller {
    type Error = InvalidCaller;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Caller> for String {
    fn from(caller: Caller) -> Self {
        caller.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_is_read_as_it_is_written() {
        let caller = Caller::named("review.bot-2").unwrap();
        assert_eq!(caller.to_string(), "mcp:review.bot-2");
        assert_eq!(caller.to_string().parse(), Ok(caller));
        assert!("review".parse::<Caller>().is_err());
    }

    #[test]
    fn names_that_could_mean_something_else_are_none() {
        let long = "a".repeat(LONGEST + 1);
        for name in ["", "--force", "../up", "a b", "a:b", "é", ".x", &long] {
            assert!(Caller::named(name).is_err(), "{name}");
        }
    }
}
