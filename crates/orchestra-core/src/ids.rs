//! Ids that people can read, type and abbreviate.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Letters and digits that are not mistaken for one another and spell no words.
const ALPHABET: &[u8; 28] = b"23456789bcdfghjkmnpqrstvwxyz";
const LENGTH: usize = 6;

/// A session's id: six characters, such as `k7m2qd`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String)]
pub struct SessionId(String);

/// The text is not a session id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a session id: six characters of {chars}",
    chars = "23456789bcdfghjkmnpqrstvwxyz"
)]
pub struct InvalidSessionId(String);

impl SessionId {
    /// Makes an id from random bytes. Ids are unique because the store refuses a second one, not because of chance.
    #[must_use]
    pub fn from_random(bytes: [u8; 8]) -> Self {
        let mut number = u64::from_le_bytes(bytes);
        let text = (0..LENGTH)
            .map(|_| {
                let index = usize::try_from(number % ALPHABET.len() as u64).unwrap_or(0);
                number /= ALPHABET.len() as u64;
                char::from(ALPHABET[index])
            })
            .collect();
        Self(text)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() == LENGTH && text.bytes().all(|byte| ALPHABET.contains(&byte)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSessionId(text.to_owned()))
        }
    }
}

impl TryFrom<String> for SessionId {
    type Error = InvalidSessionId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// The number of an iteration within its session, counted from 1.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
)]
#[serde(transparent)]
pub struct IterationNumber(pub u32);

impl fmt::Display for IterationNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_bytes_become_a_typable_id() {
        let id = SessionId::from_random([0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0]);
        assert_eq!(id.as_str().parse::<SessionId>(), Ok(id));
        assert_eq!(SessionId::from_random([0; 8]).as_str(), "222222");
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "abc", "k7m2qdx", "K7M2QD", "k7m2q-", "-k7m2q", "k7m2qa"] {
            assert!(text.parse::<SessionId>().is_err(), "{text}");
            assert!(
                serde_json::from_str::<SessionId>(&format!("\"{text}\"")).is_err(),
                "{text}"
            );
        }
    }
}
