//! Session names and the slugs made from them.

use std::fmt;
use std::str::FromStr;

use deunicode::deunicode_with_tofu;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::SessionId;

const MAX_CHARS: usize = 120;

/// A session's name: one line a person chose, unique within its repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, ToSchema, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String)]
pub struct SessionName(String);

/// Why a name is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// Nothing but white space.
    #[error("the name is empty")]
    Empty,
    /// Longer than 120 characters.
    #[error("the name has {0} characters, more than {MAX_CHARS}")]
    TooLong(usize),
    /// A line break or another control character.
    #[error("the name contains the control character {0:?}")]
    ControlCharacter(char),
    /// It would be read as an option.
    #[error("the name `{0}` starts with a dash, so a command would take it for an option")]
    OptionLike(String),
}

impl SessionName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name with an id behind it, for a session that gave its name away; shortened if it must be.
    #[must_use]
    pub fn beside(&self, id: &SessionId) -> Self {
        let addition = format!(" ({id})");
        let room = MAX_CHARS - addition.chars().count();
        Self(self.0.chars().take(room).collect::<String>() + &addition)
    }

    /// Lower-case letters and digits of ASCII joined by dashes, for branches and folders; at most 40 characters. Other
    /// scripts are written as they sound. `None` if the name has nothing that can be written so.
    #[must_use]
    pub fn slug(&self) -> Option<String> {
        slug(&self.0)
    }
}

impl FromStr for SessionName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.trim();
        let chars = name.chars().count();
        if name.is_empty() {
            return Err(InvalidName::Empty);
        }
        if chars > MAX_CHARS {
            return Err(InvalidName::TooLong(chars));
        }
        if let Some(control) = name.chars().find(|char| char.is_control()) {
            return Err(InvalidName::ControlCharacter(control));
        }
        if name.starts_with('-') {
            return Err(InvalidName::OptionLike(name.to_owned()));
        }
        Ok(Self(name.to_owned()))
    }
}

impl TryFrom<String> for SessionName {
    type Error = InvalidName;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<SessionName> for String {
    fn from(name: SessionName) -> Self {
        name.0
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

pub(crate) fn slug(text: &str) -> Option<String> {
    let mut slug = String::new();
    for char in deunicode_with_tofu(text, " ").to_lowercase().chars() {
        if slug.len() >= 40 {
            break;
        }
        if char.is_ascii_alphanumeric() {
            slug.push(char);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    (!slug.is_empty()).then(|| slug.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_plain() {
        let cases = [
            ("Fix the login form!", Some("fix-the-login-form")),
            ("  Größe & Maße  ", Some("grosse-masse")),
            ("漢字", Some("han-zi")),
            ("ログイン", Some("roguin")),
            ("🚀 Старт", Some("rocket-start")),
            ("..", None),
            ("\u{e000}", None),
            ("a/b\\c.lock", Some("a-b-c-lock")),
            (
                "a very long name that goes on and on for ever and ever",
                Some("a-very-long-name-that-goes-on-and-on-for"),
            ),
        ];
        for (name, expected) in cases {
            let slug = name.parse::<SessionName>().unwrap().slug();
            assert_eq!(slug.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_name_that_was_given_away_is_still_a_name() {
        let id = SessionId::from_random([0; 8]);
        for (name, expected) in [
            ("login".to_owned(), "login (222222)".to_owned()),
            ("ß".repeat(MAX_CHARS), "ß".repeat(111) + " (222222)"),
        ] {
            let beside = name.parse::<SessionName>().unwrap().beside(&id);
            assert_eq!(beside.as_str(), expected);
            assert_eq!(beside.as_str().parse(), Ok(beside));
        }
    }

    #[test]
    fn bad_names_are_refused_with_a_reason() {
        assert_eq!(" ".parse::<SessionName>(), Err(InvalidName::Empty));
        assert_eq!(
            "x".repeat(121).parse::<SessionName>(),
            Err(InvalidName::TooLong(121))
        );
        assert_eq!(
            "a\nb".parse::<SessionName>(),
            Err(InvalidName::ControlCharacter('\n'))
        );
        assert_eq!(
            "--force".parse::<SessionName>(),
            Err(InvalidName::OptionLike("--force".to_owned()))
        );
    }
}
