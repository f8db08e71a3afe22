//! What is looked at before work lands: one line each, and what the messages of commits have to be like.

use std::fmt;
use std::str::FromStr;

use crate::text_schema::text_schema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longer first lines are cut off wherever git shows them.
const LONGEST_SUBJECT: usize = 100;

/// Something that is looked at before work lands.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum CheckName {
    /// Nothing is uncommitted, and git is in the middle of nothing.
    Clean,
    /// It is on top of the base, or can be merged without a conflict.
    Base,
    /// The script passed on these very files.
    Script,
    /// The evaluators are content.
    Evaluators,
    /// A person approved these very changes.
    Reviewed,
    /// The messages of its commits say something.
    Messages,
    /// Migrations have numbers that nobody else gave away.
    Migrations,
    /// A message mentions the issue.
    Issue,
}

impl CheckName {
    /// All of them, in the order they are shown in.
    pub const ALL: [Self; 8] = [
        Self::Clean,
        Self::Base,
        Self::Script,
        Self::Evaluators,
        Self::Reviewed,
        Self::Messages,
        Self::Migrations,
        Self::Issue,
    ];

    /// Their names, in the same order.
    pub const WORDS: &'static [&'static str] = &[
        "clean",
        "base",
        "script",
        "evaluators",
        "reviewed",
        "messages",
        "migrations",
        "issue",
    ];

    /// The short name used in settings, in `--json` and on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Base => "base",
            Self::Script => "script",
            Self::Evaluators => "evaluators",
            Self::Reviewed => "reviewed",
            Self::Messages => "messages",
            Self::Migrations => "migrations",
            Self::Issue => "issue",
        }
    }
}

impl fmt::Display for CheckName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// The text names no check.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a check; there are {names}", names = CheckName::WORDS.join(", "))]
pub struct UnknownCheck(String);

impl FromStr for CheckName {
    type Err = UnknownCheck;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|check| check.name() == text);
        found.ok_or_else(|| UnknownCheck(text.to_owned()))
    }
}

/// Something that a person chose to pass over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum PassedOver {
    /// A check before work lands.
    Check(CheckName),
    /// That the work of a session that is cleaned up has not landed.
    Unlanded,
    /// That something in a worktree that is cleaned up is not committed.
    Dirty,
}

text_schema!(PassedOver);

impl PassedOver {
    /// The short name used in `--json` and on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Check(check) => check.name(),
            Self::Unlanded => "unlanded",
            Self::Dirty => "dirty",
        }
    }
}

impl fmt::Display for PassedOver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl TryFrom<String> for PassedOver {
    type Error = UnknownCheck;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let own = [Self::Unlanded, Self::Dirty];
        match own.into_iter().find(|one| one.name() == text) {
            Some(found) => Ok(found),
            None => text.parse().map(Self::Check),
        }
    }
}

impl From<PassedOver> for String {
    fn from(passed_over: PassedOver) -> Self {
        passed_over.name().to_owned()
    }
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// All is well.
    Pass,
    /// Something is not.
    Fail,
    /// There is nothing to look at.
    NotApplicable,
}

/// One check and what it found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
pub struct CheckLine {
    /// Which one.
    pub name: CheckName,
    /// What it found.
    pub state: CheckState,
    /// The same for people.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl CheckLine {
    /// All is well.
    #[must_use]
    pub fn pass(name: CheckName, text: impl Into<String>) -> Self {
        Self::of(name, CheckState::Pass, text.into(), None)
    }

    /// There is nothing to look at.
    #[must_use]
    pub fn not_applicable(name: CheckName, text: impl Into<String>) -> Self {
        Self::of(name, CheckState::NotApplicable, text.into(), None)
    }

    /// Something is not well, and this helps.
    #[must_use]
    pub fn fail(name: CheckName, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::of(name, CheckState::Fail, text.into(), Some(hint.into()))
    }

    fn of(name: CheckName, state: CheckState, text: String, hint: Option<String>) -> Self {
        Self {
            name,
            state,
            text,
            hint,
        }
    }
}

/// What is wrong with the first line of a commit's message.
#[must_use]
pub fn subject_problem(subject: &str) -> Option<&'static str> {
    let subject = subject.trim();
    let lower = subject.to_lowercase();
    let is_unfinished = lower
        .strip_prefix("wip")
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if subject.is_empty() {
        return Some("is empty");
    }
    if ["fixup!", "squash!", "amend!"]
        .iter()
        .any(|mark| lower.starts_with(mark))
    {
        return Some("waits to be squashed");
    }
    if is_unfinished {
        return Some("says that it is not finished");
    }
    (subject.chars().count() > LONGEST_SUBJECT).then_some("is longer than 100 characters")
}

/// Whether a text mentions an issue: `7` is not mentioned by `#70` or `v1.7`.
#[must_use]
pub fn mentions_issue(text: &str, issue: &str) -> bool {
    let issue = issue.trim().trim_start_matches('#');
    let is_part = |char: char| char.is_alphanumeric() || char == '-' || char == '_';
    let stands_alone = |start: usize| {
        let before = text[..start].chars().next_back();
        let rest = &text[start + issue.len()..];
        let mut after = rest.chars();
        let (next, second) = (after.next(), after.next());
        let ends = match next {
            Some('.') => !second.is_some_and(is_part),
            next => !next.is_some_and(is_part),
        };
        ends && !before.is_some_and(|char| is_part(char) || char == '.')
    };
    !issue.is_empty()
        && text
            .match_indices(issue)
            .any(|(start, _)| stands_alone(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_again() {
        assert_eq!(CheckName::ALL.map(CheckName::name), CheckName::WORDS);
        for check in CheckName::ALL {
            assert_eq!(check.to_string().parse(), Ok(check));
            assert_eq!(serde_json::to_value(check).unwrap(), check.name());
        }
        assert!("tests".parse::<CheckName>().is_err());
        let all = [
            PassedOver::Check(CheckName::Script),
            PassedOver::Unlanded,
            PassedOver::Dirty,
        ];
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(text, r#"["script","unlanded","dirty"]"#);
        let read: [PassedOver; 3] = serde_json::from_str(&text).unwrap();
        assert_eq!(read, all);
        assert!(serde_json::from_str::<PassedOver>("\"tests\"").is_err());
    }

    #[test]
    fn subjects_have_to_say_something() {
        let long = "x".repeat(101);
        let cases = [
            ("amp: greet", None),
            ("Wipe the table", None),
            (&long[1..], None),
            ("", Some("is empty")),
            (" \t", Some("is empty")),
            ("fixup! amp: greet", Some("waits to be squashed")),
            ("Squash! x", Some("waits to be squashed")),
            ("WIP", Some("says that it is not finished")),
            ("wip: more", Some("says that it is not finished")),
            (&long, Some("is longer than 100 characters")),
        ];
        for (subject, problem) in cases {
            assert_eq!(subject_problem(subject), problem, "{subject}");
        }
    }

    #[test]
    fn issues_are_mentioned_as_whole_words() {
        let cases = [
            ("Fix #7", "7", true),
            ("Fix #7.", "#7", true),
            ("Fixes 7, and more", "7", true),
            ("Issue: ABC-12", "ABC-12", true),
            ("see https://x.test/issues/7", "7", true),
            ("Fix #70", "7", false),
            ("since v1.7", "7", false),
            ("since 7.1", "7", false),
            ("ABC-123", "ABC-12", false),
            ("anything", "", false),
            ("anything", "#", false),
        ];
        for (text, issue, expected) in cases {
            assert_eq!(mentions_issue(text, issue), expected, "{text} {issue}");
        }
    }
}
