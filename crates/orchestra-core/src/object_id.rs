//! Full ids of git objects, a type for each kind, so that a tree is never taken for a commit.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The text is not a full object id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {kind} id")]
pub struct InvalidObjectId {
    text: String,
    kind: &'static str,
}

macro_rules! object_id {
    ($name:ident, $kind:literal) => {
        #[doc = concat!("The full id of a ", $kind, ": 40 or 64 lower-case hex digits.")]
        #[derive(
            Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
        )]
        #[serde(try_from = "String", into = "String")]
        #[schema(value_type = String)]
        pub struct $name(String);

        impl $name {
            /// All hex digits.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The first ten digits, for people.
            #[must_use]
            pub fn short(&self) -> &str {
                &self.0[..10]
            }
        }

        impl FromStr for $name {
            type Err = InvalidObjectId;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                if is_full_id(text) {
                    return Ok(Self(text.to_owned()));
                }
                Err(InvalidObjectId {
                    text: text.to_owned(),
                    kind: $kind,
                })
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidObjectId;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(&self.0)
            }
        }
    };
}

object_id!(CommitId, "commit");
object_id!(TreeId, "tree");
object_id!(ObjectId, "object");
object_id!(PatchId, "patch");

fn is_full_id(text: &str) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    matches!(text.len(), 40 | 64) && text.bytes().all(is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_full_and_lower_case() {
        assert!("a".repeat(40).parse::<CommitId>().is_ok());
        assert!("a".repeat(64).parse::<TreeId>().is_ok());
        for text in ["", "abc", &"A".repeat(40), &"g".repeat(40), &"a".repeat(41)] {
            assert!(text.parse::<ObjectId>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_refusal_says_what_was_expected() {
        let error = "main".parse::<TreeId>().unwrap_err();
        assert_eq!(error.to_string(), "`main` is not a tree id");
        let error = CommitId::try_from("x".to_owned()).unwrap_err();
        assert_eq!(error.to_string(), "`x` is not a commit id");
    }

    #[test]
    fn ids_are_shown_whole_or_short() {
        let id: TreeId = "0123456789".repeat(4).parse().unwrap();
        assert_eq!(
            (id.short(), id.to_string()),
            ("0123456789", "0123456789".repeat(4))
        );
        assert_eq!(String::from(id.clone()), id.as_str());
    }
}
