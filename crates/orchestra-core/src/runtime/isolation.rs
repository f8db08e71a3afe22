//! What keeps an agent within its worktree, or tells that it did not stay there.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Timestamp;

/// What is done about an agent that leaves its worktree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Nothing.
    None,
    /// What changed elsewhere in the repository while it ran is told.
    #[default]
    Guard,
    /// It works in a sandbox with a git directory of its own, from which the engine fetches.
    Sandbox,
}

impl Isolation {
    /// The words, in the order of the variants.
    pub const WORDS: &'static [&'static str] = &["none", "guard", "sandbox"];

    /// The word for it in settings and commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Guard => "guard",
            Self::Sandbox => "sandbox",
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
#[error("`{0}` is no isolation; they are none, guard and sandbox")]
pub struct UnknownIsolation(String);

impl FromStr for Isolation {
    type Err = UnknownIsolation;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "none" => Ok(Self::None),
            "guard" => Ok(Self::Guard),
            "sandbox" => Ok(Self::Sandbox),
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
    /// The sandbox it ran in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxRecord>,
    /// What the agent left in its own git directory and was not brought into the repository, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
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

/// A sandbox that an agent ran in, as it was seen to hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct SandboxRecord {
    /// What held it.
    pub layers: Vec<String>,
    /// What would hold it too, and this machine does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The hosts it could reach; `off` alone for none, `open` alone for all.
    pub network: Vec<String>,
    /// When the sandbox was tried last.
    pub tried_at: Timestamp,
    /// The ways out that were tried then.
    pub escapes: Vec<EscapeRecord>,
}

impl SandboxRecord {
    /// How many ways out were tried, and how many of them were stopped.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        escape_counts(&self.escapes)
    }
}

/// How many ways out were tried, and how many of them were stopped.
#[must_use]
pub fn escape_counts(escapes: &[EscapeRecord]) -> (usize, usize) {
    let count = |is_counted: fn(EscapeEnd) -> bool| {
        let ends = escapes.iter().map(|escape| escape.end);
        ends.filter(|end| is_counted(*end)).count()
    };
    (
        count(|end| end != EscapeEnd::NotTried),
        count(|end| end == EscapeEnd::Stopped),
    )
}

/// A way out of a sandbox that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct EscapeRecord {
    /// Which.
    pub escape: String,
    /// What became of it.
    pub end: EscapeEnd,
    /// What stopped it, or how it was possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What became of a way out of a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EscapeEnd {
    /// It was stopped.
    Stopped,
    /// It was possible.
    Succeeded,
    /// What it would reach does not exist.
    NotTried,
}

impl EscapeEnd {
    /// The words for it.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Succeeded => "possible",
            Self::NotTried => "nothing to try",
        }
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
            "`jail` is no isolation; they are none, guard and sandbox"
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
            sandbox: None,
            left: Vec::new(),
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
