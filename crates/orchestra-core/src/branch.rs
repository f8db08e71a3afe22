//! Branch names and branch patterns.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{SessionId, SessionName, Timestamp, fill_placeholders};

const LONGEST: usize = 200;

/// A local branch by its short name, such as `amp/fix-login/20261115-203000`.
///
/// The grammar is narrower than git's: what cannot be typed safely in a shell or could be read as an option is refused.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String)]
pub struct BranchName(String);

/// Why a branch name is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not a usable branch name: {reason}")]
pub struct InvalidBranch {
    name: String,
    reason: &'static str,
}

impl BranchName {
    /// The short name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name with an id behind it, for a session that gave its branch away; shortened if it must be.
    #[must_use]
    pub fn beside(&self, id: &SessionId) -> Self {
        let addition = format!("-{id}");
        let mut end = self.0.len().min(LONGEST - addition.len());
        while !self.0.is_char_boundary(end) {
            end -= 1;
        }
        Self(self.0[..end].to_owned() + &addition)
    }

    /// The full reference name, such as `refs/heads/main`.
    #[must_use]
    pub fn full_ref(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

impl FromStr for BranchName {
    type Err = InvalidBranch;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match problem_of(name) {
            Some(reason) => Err(InvalidBranch {
                name: name.to_owned(),
                reason,
            }),
            None => Ok(Self(name.to_owned())),
        }
    }
}

/// Why a name cannot be part of a reference and of a command line.
pub(crate) fn problem_of(name: &str) -> Option<&'static str> {
    let is_blank = |char: char| char.is_control() || char.is_whitespace();
    let is_special = |char: char| "~^:?*[]\\;|&$<>(){}'\"`!".contains(char);
    let is_bad_part =
        |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    if name.is_empty() || name.len() > LONGEST {
        Some("it must have 1 to 200 bytes")
    } else if name.starts_with('-') {
        Some("it starts with a dash")
    } else if name == "HEAD" || name == "@" {
        Some("git gives it another meaning")
    } else if name.contains(is_blank) {
        Some("it contains white space or a control character")
    } else if name.contains(is_special) {
        Some("it contains a character that git or a shell treats specially")
    } else if name.contains("..") || name.contains("@{") || name.ends_with('.') {
        Some("git does not allow `..`, `@{` or a full stop at the end")
    } else if name.split('/').any(is_bad_part) {
        Some("a part between slashes is empty, starts with a full stop or ends with `.lock`")
    } else {
        None
    }
}

impl TryFrom<String> for BranchName {
    type Error = InvalidBranch;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<BranchName> for String {
    fn from(name: BranchName) -> Self {
        name.0
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// A pattern for branch or folder names with `{slug}`, `{timestamp}`, `{id}` and `{issue}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(transparent)]
pub struct BranchPattern(pub String);

/// What a pattern is filled with.
#[derive(Debug, Clone, Copy)]
pub struct PatternValues<'a> {
    /// The session's id.
    pub id: &'a SessionId,
    /// The session's name.
    pub name: &'a SessionName,
    /// The issue it belongs to.
    pub issue: Option<&'a str>,
    /// When the session was created.
    pub created_at: Timestamp,
}

/// Why a pattern could not be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// `{issue}` without an issue.
    #[error("the pattern `{0}` needs an issue, and the session has none")]
    IssueMissing(String),
    /// A placeholder nobody knows.
    #[error("the pattern `{pattern}` has the unknown placeholder `{placeholder}`")]
    UnknownPlaceholder {
        /// The whole pattern.
        pattern: String,
        /// The offending part.
        placeholder: String,
    },
}

impl BranchPattern {
    /// What every name made by the pattern begins with.
    #[must_use]
    pub fn beginning(&self) -> &str {
        self.0.split('{').next().unwrap_or_default()
    }

    /// Whether names tell the moment they were made at, so that one that is taken was made in the same second.
    #[must_use]
    pub fn tells_moment(&self) -> bool {
        self.0.contains("{timestamp}")
    }

    /// Fills the pattern.
    ///
    /// # Errors
    /// If a placeholder is unknown or has no value.
    pub fn fill(&self, values: PatternValues<'_>) -> Result<String, PatternError> {
        fill_placeholders(&self.0, |placeholder| match placeholder {
            "{slug}" => Ok(values.name.slug().unwrap_or_else(|| values.id.to_string())),
            "{id}" => Ok(values.id.to_string()),
            "{timestamp}" => Ok(compact_timestamp(values.created_at)),
            "{issue}" => match values.issue {
                Some(issue) => Ok(issue_slug(issue)),
                None => Err(PatternError::IssueMissing(self.0.clone())),
            },
            other => Err(PatternError::UnknownPlaceholder {
                pattern: self.0.clone(),
                placeholder: other.to_owned(),
            }),
        })
    }
}

fn compact_timestamp(at: Timestamp) -> String {
    at.strftime("%Y%m%d-%H%M%S").to_string()
}

fn issue_slug(issue: &str) -> String {
    let name = issue.parse::<SessionName>().ok();
    name.and_then(|name| name.slug())
        .unwrap_or_else(|| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values<'a>(
        id: &'a SessionId,
        name: &'a SessionName,
        issue: Option<&'a str>,
    ) -> PatternValues<'a> {
        PatternValues {
            id,
            name,
            issue,
            created_at: Timestamp::from_second(1_800_000_000).unwrap(),
        }
    }

    #[test]
    fn a_branch_that_was_given_away_is_still_a_name() {
        let id = SessionId::from_random([0; 8]);
        let long = "amp/".to_owned() + &"ß".repeat(98);
        for (name, expected) in [
            ("amp/login", "amp/login-222222".to_owned()),
            (&long, "amp/".to_owned() + &"ß".repeat(94) + "-222222"),
        ] {
            let beside = name.parse::<BranchName>().unwrap().beside(&id);
            assert_eq!(beside.as_str(), expected);
            assert_eq!(beside.as_str().parse(), Ok(beside));
        }
    }

    #[test]
    fn patterns_are_filled() {
        let id = SessionId::from_random([0; 8]);
        let name: SessionName = "Fix login".parse().unwrap();
        let fill = |pattern: &str, issue| {
            BranchPattern(pattern.to_owned()).fill(values(&id, &name, issue))
        };
        assert_eq!(
            fill("amp/{slug}/{timestamp}", None).unwrap(),
            "amp/fix-login/20270115-080000"
        );
        assert_eq!(
            fill("feature/issue-{issue}", Some("101")).unwrap(),
            "feature/issue-101"
        );
        assert_eq!(fill("{id}", None).unwrap(), "222222");
        let dots: SessionName = "...".parse().unwrap();
        let nameless = BranchPattern("amp/{slug}".to_owned()).fill(values(&id, &dots, None));
        assert_eq!(nameless.unwrap(), "amp/222222");
        assert_eq!(
            fill("x/{issue}", Some("PROJ-7 a/b")).unwrap(),
            "x/proj-7-a-b"
        );
        assert!(matches!(
            fill("feature/{issue}", None),
            Err(PatternError::IssueMissing(_))
        ));
        assert!(matches!(
            fill("{nope}", None),
            Err(PatternError::UnknownPlaceholder { .. })
        ));
        assert!(matches!(
            fill("a{slug", None),
            Err(PatternError::UnknownPlaceholder { .. })
        ));
    }

    #[test]
    fn a_pattern_says_what_its_names_begin_with() {
        for (pattern, beginning) in [
            ("amp/{slug}/{timestamp}", "amp/"),
            ("{slug}", ""),
            ("fixed", "fixed"),
        ] {
            assert_eq!(BranchPattern(pattern.to_owned()).beginning(), beginning);
        }
    }

    #[test]
    fn branch_names_that_could_bite_are_refused() {
        for name in ["main", "amp/x/2026", "feature/issue-101", "größe", "a.b"] {
            assert!(name.parse::<BranchName>().is_ok(), "{name}");
        }
        let bad = [
            "", "-x", "--force", "a b", "a\nb", "a..b", "a@{1}", "a.lock", "a/.b", "a//b", "/a",
            "a/", "x;rm", "a~1", "HEAD", "@", "a.", "a$(b)",
        ];
        for name in bad {
            assert!(name.parse::<BranchName>().is_err(), "{name}");
        }
    }
}
