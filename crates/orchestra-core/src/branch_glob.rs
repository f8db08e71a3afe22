//! Patterns that stand for several branches, such as `release/*`.

use std::fmt;
use std::str::FromStr;

use crate::BranchName;

/// A branch name in which `*` stands for any letters, slashes too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchGlob(String);

/// Something that is no branch name even without its stars.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a branch name, also not one with `*`")]
pub struct InvalidGlob(String);

impl BranchGlob {
    /// Whether it stands for this branch.
    #[must_use]
    pub fn matches(&self, branch: &BranchName) -> bool {
        let mut parts = self.0.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = branch.as_str().strip_prefix(first) else {
            return false;
        };
        let parts: Vec<_> = parts.collect();
        let Some((last, middle)) = parts.split_last() else {
            return rest.is_empty();
        };
        for part in middle {
            let Some((_, after)) = rest.split_once(part) else {
                return false;
            };
            rest = after;
        }
        rest.ends_with(last)
    }
}

impl FromStr for BranchGlob {
    type Err = InvalidGlob;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let filled = text.replace('*', "x");
        match filled.parse::<BranchName>() {
            Ok(_) => Ok(Self(text.to_owned())),
            Err(_) => Err(InvalidGlob(text.to_owned())),
        }
    }
}

impl fmt::Display for BranchGlob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_letters() {
        let cases = [
            ("main", "main", true),
            ("main", "maintenance", false),
            ("main", "my/main", false),
            ("release/*", "release/1.2", true),
            ("release/*", "release/1/2", true),
            ("release/*", "releases", false),
            ("*", "anything/at/all", true),
            ("*-stable", "v1-stable", true),
            ("*-stable", "v1-stable-2", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("a**b", "ab", true),
            ("ab*b", "ab", false),
        ];
        for (glob, branch, expected) in cases {
            let (glob, branch): (BranchGlob, BranchName) =
                (glob.parse().unwrap(), branch.parse().unwrap());
            assert_eq!(glob.matches(&branch), expected, "{glob} {branch}");
        }
        assert!("a b*".parse::<BranchGlob>().is_err());
        assert!("".parse::<BranchGlob>().is_err());
    }
}
