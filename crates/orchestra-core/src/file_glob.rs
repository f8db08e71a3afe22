//! Patterns that stand for files of a repository, such as `.env` or `config/*.local.toml`.

use std::fmt;
use std::path::{Component, Path};
use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};

/// A pattern for paths below the top of a repository. One without a slash stands for names at any depth, another one for
/// whole paths; `*` and `?` stop at slashes, `**` does not.
#[derive(Debug, Clone)]
pub struct FileGlob {
    text: String,
    matcher: GlobMatcher,
}

/// A pattern that cannot stand for files of a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a pattern for files below the top of the repository")]
pub struct InvalidFileGlob(String);

impl FileGlob {
    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it stands for this path, relative to the top of the repository.
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        self.matcher.is_match(path)
    }

    /// Whether it speaks of something inside this directory by its path. Names at any depth do not.
    #[must_use]
    pub fn reaches_into(&self, directory: &Path) -> bool {
        let mut pattern = self.text.split('/').filter(|part| !part.is_empty());
        let mut parts = directory.components();
        if !self.text.trim_end_matches('/').contains('/') {
            return false;
        }
        loop {
            match (pattern.next(), parts.next()) {
                (Some("**"), _) => return true,
                (Some(_), None) => return true,
                (None, _) => return false,
                (Some(part), Some(name)) if !part_matches(part, name) => return false,
                (Some(_), Some(_)) => {}
            }
        }
    }
}

fn part_matches(part: &str, name: Component<'_>) -> bool {
    let glob = GlobBuilder::new(part).literal_separator(true).build();
    glob.is_ok_and(|glob| glob.compile_matcher().is_match(name.as_os_str()))
}

impl FromStr for FileGlob {
    type Err = InvalidFileGlob;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidFileGlob(text.to_owned());
        let inner = text.trim_matches('/');
        let is_part = |part: &str| !matches!(part, "" | "." | ".." | ".git");
        if !inner.split('/').all(is_part) || text.contains(char::is_control) || text.contains('\\')
        {
            return Err(invalid());
        }
        let is_name = !text.trim_end_matches('/').contains('/');
        let pattern = match is_name {
            true => format!("**/{inner}"),
            false => inner.to_owned(),
        };
        let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
        let matcher = glob.map_err(|_| invalid())?.compile_matcher();
        Ok(Self {
            text: text.to_owned(),
            matcher,
        })
    }
}

impl PartialEq for FileGlob {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for FileGlob {}

impl fmt::Display for FileGlob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_at_any_depth_and_paths_from_the_top() {
        let table = [
            (".env", ".env", true),
            (".env", "apps/web/.env", true),
            (".env", ".env.local", false),
            (".env*", "apps/.env.local", true),
            ("/.env", "apps/.env", false),
            ("/.env", ".env", true),
            ("config/*.toml", "config/a.toml", true),
            ("config/*.toml", "config/a/b.toml", false),
            ("config/**", "config/a/b.toml", true),
            ("node_modules/", "packages/a/node_modules", true),
        ];
        for (pattern, path, expected) in table {
            let glob: FileGlob = pattern.parse().unwrap();
            assert_eq!(glob.matches(Path::new(path)), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn only_paths_reach_into_a_directory() {
        let table = [
            (".env", "node_modules", false),
            ("data/*.db", "data", true),
            ("data/*.db", "other", false),
            ("/data/x", "data", true),
            ("d*/a/b", "data/a", true),
            ("data", "data", false),
            ("**/x.db", "data", true),
        ];
        for (pattern, directory, expected) in table {
            let glob: FileGlob = pattern.parse().unwrap();
            let reaches = glob.reaches_into(Path::new(directory));
            assert_eq!(reaches, expected, "{pattern} {directory}");
        }
    }

    #[test]
    fn what_leads_out_of_the_repository_is_refused() {
        for bad in [
            "", "/", "..", "../x", "a/../b", "a//b", ".git", "a/.git/x", "a\nb", "[", "\\x",
        ] {
            assert!(bad.parse::<FileGlob>().is_err(), "{bad:?}");
        }
    }
}
