//! Paths that people name: below the worktree, however they are written.

use std::path::{Component, Path, PathBuf};

use super::CommitError;
use crate::worktree::Worktree;

impl Worktree {
    /// A path that somebody named, as git calls it: from the top of the worktree. `None` if it is outside.
    #[must_use]
    pub fn path_from_top(&self, path: &Path) -> Option<PathBuf> {
        from_top(self.path(), path)
    }

    /// The paths from the top of the worktree; `None` if they are all of it.
    pub(super) fn paths_within(
        &self,
        paths: &[PathBuf],
    ) -> Result<Option<Vec<PathBuf>>, CommitError> {
        let mut inside = Vec::new();
        let mut outside = Vec::new();
        for path in paths {
            match self.path_from_top(path) {
                Some(plain) => inside.push(plain),
                None => outside.push(path.clone()),
            }
        }
        if !outside.is_empty() {
            return Err(CommitError::OutsideWorktree {
                paths: outside,
                worktree: self.path().to_owned(),
            });
        }
        let is_top = |path: &PathBuf| path.as_os_str().is_empty();
        Ok((!inside.iter().any(is_top)).then_some(inside))
    }
}

/// Links are not followed: one that leads out of the worktree is itself a file of it.
fn from_top(top: &Path, path: &Path) -> Option<PathBuf> {
    let below = if path.is_absolute() {
        path.strip_prefix(top).ok()?
    } else {
        path
    };
    let mut plain = PathBuf::new();
    for component in below.components() {
        match component {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_inside_or_refused() {
        let cases = [
            ("a/b", Some("a/b")),
            ("./a/../b/", Some("b")),
            (".", Some("")),
            ("/w/t", Some("")),
            ("/w/t/a", Some("a")),
            ("..", None),
            ("a/../../b", None),
            ("/w/tree", None),
            ("/w/t/../x", None),
            ("/etc/passwd", None),
        ];
        for (path, expected) in cases {
            let found = from_top(Path::new("/w/t"), Path::new(path));
            assert_eq!(found.as_deref(), expected.map(Path::new), "{path}");
        }
    }
}
