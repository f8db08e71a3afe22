//! Whether a database is a session's own: what tells sessions apart in its place and in its address.

use std::path::{Component, Path};

use orchestra_core::DatabaseKind;

use super::DatabaseSettings;

/// Placeholders whose values no two sessions share, or their beginnings.
const APART: &[&str] = &[
    "{cache}",
    "{compose_project}",
    "{database.",
    "{database_url.",
    "{id}",
    "{location}",
    "{port.",
    "{worktree}",
];

/// Those that differ as a rule. They are enough for a place, because it is reserved for one session and refused to the next;
/// nobody reserves an address.
const USUALLY_APART: &[&str] = &["{branch}", "{issue}", "{slug}"];

impl DatabaseSettings {
    /// Whether sessions get places of their own. A file is below the worktree unless the path leads elsewhere.
    #[must_use]
    pub fn has_own_location(&self) -> bool {
        let Some(location) = &self.location else {
            return true;
        };
        let differs = has_any(location, APART) || has_any(location, USUALLY_APART);
        match self.kind {
            DatabaseKind::Sqlite => {
                !self.climbs() && (differs || Path::new(location).is_relative())
            }
            DatabaseKind::Postgresql | DatabaseKind::Mysql => differs,
        }
    }

    /// Whether it is a file whose path leads out of where it begins, so that nobody can say whose the place is.
    #[must_use]
    pub fn climbs(&self) -> bool {
        let path = Path::new(self.location.as_deref().unwrap_or_default());
        let mut parts = path.components();
        self.kind == DatabaseKind::Sqlite && parts.any(|part| part == Component::ParentDir)
    }

    /// Whether no two sessions can get the same address. That of a file below the worktree may begin there.
    pub(crate) fn has_own_url(&self) -> bool {
        let Some(url) = &self.url else {
            return true;
        };
        let location = self.location.as_deref();
        let is_in_worktree = self.kind == DatabaseKind::Sqlite
            && location.is_some_and(|location| Path::new(location).is_relative());
        is_in_worktree || has_any(url, APART)
    }
}

fn has_any(text: &str, placeholders: &[&str]) -> bool {
    placeholders.iter().any(|it| text.contains(it))
}
