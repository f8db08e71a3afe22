//! The version of the git program and what depends on it.

use std::fmt;

/// A git version: major, minor, patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The third number, 0 when absent.
    pub patch: u32,
}

impl GitVersion {
    /// The oldest version that is supported: the first with `merge-tree --write-tree`.
    pub const MINIMUM: Self = Self {
        major: 2,
        minor: 38,
        patch: 0,
    };
    /// The first version whose `merge-tree` takes many pairs at once.
    pub(crate) const MANY_MERGES: Self = Self {
        major: 2,
        minor: 39,
        patch: 0,
    };
    /// The first version whose `merge-tree` is told what both sides started from.
    pub(crate) const CHOSEN_MERGE_BASE: Self = Self {
        major: 2,
        minor: 40,
        patch: 0,
    };
    /// The first version that reads attributes from a commit.
    pub(crate) const ATTRIBUTES_OF_COMMIT: Self = Self {
        major: 2,
        minor: 41,
        patch: 0,
    };
    /// The first version whose `for-each-ref` counts commits ahead and behind.
    pub(crate) const AHEAD_BEHIND: Self = Self {
        major: 2,
        minor: 41,
        patch: 0,
    };

    /// Reads the answer of `git --version`.
    pub(crate) fn parse(answer: &str) -> Option<Self> {
        let text = answer.strip_prefix("git version ")?;
        let mut numbers = text
            .split([' ', '.', '\n'])
            .map_while(|part| part.parse::<u32>().ok());
        Some(Self {
            major: numbers.next()?,
            minor: numbers.next()?,
            patch: numbers.next().unwrap_or(0),
        })
    }
}

impl fmt::Display for GitVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_all_platforms_are_read() {
        let version = |major, minor, patch| {
            Some(GitVersion {
                major,
                minor,
                patch,
            })
        };
        assert_eq!(GitVersion::parse("git version 2.47.3\n"), version(2, 47, 3));
        assert_eq!(
            GitVersion::parse("git version 2.39.5 (Apple Git-154)\n"),
            version(2, 39, 5)
        );
        assert_eq!(
            GitVersion::parse("git version 2.45.1.windows.1\n"),
            version(2, 45, 1)
        );
        assert_eq!(GitVersion::parse("git version 2.50\n"), version(2, 50, 0));
        assert_eq!(
            GitVersion::parse("git version 2.50.0-rc1\n"),
            version(2, 50, 0)
        );
        assert_eq!(GitVersion::parse("hub 1"), None);
        assert_eq!(GitVersion::parse("git version x"), None);
    }

    #[test]
    fn versions_are_ordered() {
        assert!(GitVersion::parse("git version 2.9.9").unwrap() < GitVersion::MINIMUM);
        assert!(GitVersion::parse("git version 3.0.0").unwrap() > GitVersion::AHEAD_BEHIND);
    }
}
