//! What keeps an agent within its worktree, or tells that it did not stay there.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is done about an agent that leaves its worktree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Nothing.
    None,
    /// What changed elsewhere in the repository while it ran is told.
    #[default]
    Guard,
}

impl Isolation {
    /// The words, in the order of the variants.
    pub const WORDS: &'static [&'static str] = &["none", "guard"];

    /// The word for it in settings and commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Guard => "guard",
        }
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// A word that stands for no isolation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no isolation; they are none and guard")]
pub struct UnknownIsolation(String);

impl FromStr for Isolation {
    type Err = UnknownIsolation;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "none" => Ok(Self::None),
            "guard" => Ok(Self::Guard),
            other => Err(UnknownIsolation(other.to_owned())),
        }
    }
}

/// What held while the agent of an iteration ran, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct IsolationRecord {
    /// What held.
    pub held: Isolation,
    /// What changed outside of the worktree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<GuardFinding>,
    /// How many changes more there were than are listed.
    #[serde(default)]
    pub more: u32,
    /// Why not everything could be looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl IsolationRecord {
    /// Whether anything changed outside of the worktree.
    #[must_use]
    pub fn is_tripped(&self) -> bool {
        !self.findings.is_empty()
    }

    /// How many changes there were.
    #[must_use]
    pub fn count(&self) -> usize {
        self.findings.len() + self.more as usize
    }
}

/// Something outside of a session's worktree that changed while its agent ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct GuardFinding {
    /// Where.
    pub place: GuardPlace,
    /// What, in words.
    pub what: String,
}

/// What the guard looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardPlace {
    /// The main checkout: what it has checked out, its index, its files.
    MainCheckout,
    /// Another worktree of the repository.
    Worktree,
    /// Configuration, hooks and rules in the git directory.
    GitDirectory,
    /// A branch, a tag or another reference.
    Reference,
    /// The stash, which all worktrees share.
    Stash,
}

impl GuardPlace {
    /// The words for it.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::MainCheckout => "main checkout",
            Self::Worktree => "other worktree",
            Self::GitDirectory => "git directory",
            Self::Reference => "reference",
            Self::Stash => "stash",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_isolation_has_its_word() {
        for word in Isolation::WORDS {
            assert_eq!(word.parse::<Isolation>().unwrap().as_str(), *word);
        }
        let error = "jail".parse::<Isolation>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`jail` is no isolation; they are none and guard"
        );
        assert_eq!(Isolation::default(), Isolation::Guard);
    }

    #[test]
    fn a_record_is_read_back() {
        let record = IsolationRecord {
            held: Isolation::Guard,
            findings: vec![GuardFinding {
                place: GuardPlace::Stash,
                what: "x".to_owned(),
            }],
            more: 2,
            problem: None,
        };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(
            serde_json::from_str::<IsolationRecord>(&text).unwrap(),
            record
        );
        assert!(record.is_tripped() && record.count() == 3);
        let none: IsolationRecord = serde_json::from_str(r#"{"held":"none"}"#).unwrap();
        assert!(!none.is_tripped() && none.held == Isolation::None);
    }
}
