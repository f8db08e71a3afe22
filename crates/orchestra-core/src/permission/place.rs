//! Where a tool works, told from the paths that it is given alone.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::{ToolKind, ToolUse};

/// What decides over what an agent may do, so that it changes nothing there unasked.
const GUARDED: [&str; 2] = [".git", ".amp"];

/// Where a file lies.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Among the files that the agent works on.
    Worktree,
    /// In a folder of this name within them.
    Guarded(&'static str),
    /// Anywhere else.
    Outside,
}

impl ToolKind {
    const fn changes_files(self) -> bool {
        matches!(self, Self::Edit | Self::Delete | Self::Move)
    }

    /// Whether it is used on paths.
    const fn has_paths(self) -> bool {
        matches!(self, Self::Read | Self::Search) || self.changes_files()
    }
}

impl ToolUse {
    /// Where it works. What changes files and does not tell which could change any.
    pub(super) fn places(&self, worktree: &Path) -> Vec<Place> {
        if !self.kind.has_paths() {
            return Vec::new();
        }
        let paths = self.paths();
        if paths.is_empty() && self.kind.changes_files() {
            return vec![Place::Outside];
        }
        let places = paths.into_iter().map(|path| place_of(path, worktree));
        let is_guarded = |place: &Place| matches!(place, Place::Guarded(_));
        places
            .filter(|place| self.kind.changes_files() || !is_guarded(place))
            .collect()
    }

    fn paths(&self) -> Vec<&str> {
        let named = ["path", "file_path", "filePath"];
        let named = named.iter().filter_map(|name| self.input.get(*name));
        let mut paths: Vec<&str> = named.flat_map(texts).collect();
        if self.kind.changes_files() {
            let fields = self.input.as_object().into_iter().flatten();
            let patches = fields.filter_map(|(_, value)| value.as_str());
            paths.extend(patches.flat_map(paths_of_patch));
        }
        paths
    }
}

fn texts(value: &Value) -> Vec<&str> {
    match value.as_array() {
        Some(items) => items.iter().filter_map(Value::as_str).collect(),
        None => value.as_str().into_iter().collect(),
    }
}

/// A patch names its files in lines of its own.
fn paths_of_patch(patch: &str) -> impl Iterator<Item = &str> {
    const MARKS: [&str; 4] = [
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
        "*** Move to: ",
    ];
    patch
        .lines()
        .filter_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)))
}

fn place_of(path: &str, worktree: &Path) -> Place {
    let is_elsewhere = path.starts_with('~') || path.contains("://");
    let whole = resolved(path, worktree);
    let inside = whole.strip_prefix(resolved("", worktree)).ok();
    let Some(inside) = inside.filter(|_| !is_elsewhere) else {
        return Place::Outside;
    };
    let is_within = |name: &&&str| {
        let mut parts = inside.components();
        parts.any(|part| part.as_os_str().eq_ignore_ascii_case(**name))
    };
    let guarded = GUARDED.iter().find(is_within);
    guarded.map_or(Place::Worktree, |name| Place::Guarded(name))
}

/// The path without steps back.
fn resolved(path: &str, worktree: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in worktree.join(path).components() {
        match part {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                resolved.push(part);
            }
        }
    }
    resolved
}

/// The ways in which a pattern may name a path. One with steps back is named by where it leads.
pub(super) fn spellings(path: &str, worktree: &Path) -> Vec<String> {
    let whole = resolved(path, worktree);
    let inside = whole.strip_prefix(resolved("", worktree)).ok();
    let inside = inside.map(|inside| inside.to_string_lossy().into_owned());
    let has_steps_back = Path::new(path)
        .components()
        .any(|part| part == Component::ParentDir);
    let written = (!has_steps_back).then(|| path.to_owned());
    let whole = whole.to_string_lossy().into_owned();
    written.into_iter().chain(inside).chain([whole]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_back_lead_out() {
        for (path, place) in [
            ("src/a", Place::Worktree),
            ("/w/one/src/../a", Place::Worktree),
            ("src/../../x", Place::Outside),
            ("/w/one/../two/a", Place::Outside),
            ("/w/onetwo", Place::Outside),
            ("/etc/passwd", Place::Outside),
            ("~/.ssh/id", Place::Outside),
            ("file:///etc/passwd", Place::Outside),
            (".amp/settings.json", Place::Guarded(".amp")),
            ("sub/.GIT/hooks/x", Place::Guarded(".git")),
            (".gitignore", Place::Worktree),
        ] {
            assert_eq!(place_of(path, Path::new("/w/one")), place, "{path}");
        }
    }
}
