//! Checks that loading and changing settings share.

use std::path::{Component, Path};

use crate::error::ConfigError;
use crate::file::Entry;
use crate::keys::{self, Key};
use crate::typed::Typed;

/// The setting with this name.
pub(crate) fn require_key(name: &str) -> Result<&'static Key, ConfigError> {
    keys::find_named(name).ok_or_else(|| {
        let nearest = keys::nearest(&name.split('.').collect::<Vec<_>>(), false);
        ConfigError::UnknownKey {
            key: name.into(),
            nearest,
        }
    })
}

/// Checks a value that stands at a place.
pub(crate) fn parse(entry: &Entry) -> Result<Typed, ConfigError> {
    entry
        .key
        .kind
        .parse(&entry.raw)
        .ok_or_else(|| ConfigError::Invalid {
            key: entry.name.clone(),
            place: entry.place.clone(),
            expected: entry.key.kind.expected(),
            found: entry.key.kind.shown_wrong(&entry.raw),
        })
}

/// Whether the path stays inside the repository's own files, judged by its text alone.
pub(crate) fn stays_inside(path: &Path) -> bool {
    let is_plain = |component: Component<'_>| match component {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git") && name != "~",
        Component::CurDir => true,
        Component::Prefix(_) | Component::RootDir | Component::ParentDir => false,
    };
    path.components().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_repository_are_seen() {
        for path in [".worktrees", "a/b", "./x", "a/..b"] {
            assert!(stays_inside(Path::new(path)), "{path}");
        }
        for path in ["/a", "../a", "a/../../b", ".git/hooks", "a/.GIT/x", "~/a"] {
            assert!(!stays_inside(Path::new(path)), "{path}");
        }
    }
}
