//! Which paths lead to files of a worktree.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use orchestra_core::visible_line;

use super::FileError;

/// A path from the top of a worktree that stays in it, as far as its text tells, and leads to nothing of git's.
pub(crate) fn require_path(text: &str) -> Result<PathBuf, FileError> {
    let wrong = |why| FileError::Path {
        path: visible_line(text),
        why,
    };
    if text.contains('\0') {
        return Err(wrong("it has a character that no name has"));
    }
    let mut path = PathBuf::new();
    for part in Path::new(text).components() {
        match part {
            Component::Normal(name) if is_gits(name) => return Err(wrong("it is git's own")),
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir => return Err(wrong("it has `..`")),
            Component::RootDir | Component::Prefix(_) => {
                return Err(wrong("it does not begin at the top of the worktree"));
            }
        }
    }
    match path.as_os_str().is_empty() {
        true => Err(wrong("it is empty")),
        false => Ok(path),
    }
}

/// The directory of a file, and its name there.
pub(super) fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent()
        .zip(path.file_name())
        .ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// Some file systems know a name in other cases too, or without what is at its end.
pub(super) fn is_gits(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let name = name.trim_end_matches([' ', '.']);
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_within_are_taken() {
        for (text, path) in [
            ("a", "a"),
            ("./a//b/", "a/b"),
            ("a b/\u{fc}", "a b/\u{fc}"),
            (".github/x", ".github/x"),
            (".gitignore", ".gitignore"),
        ] {
            assert_eq!(require_path(text).unwrap(), Path::new(path), "{text}");
        }
        for text in [
            "",
            ".",
            "/",
            "/etc/passwd",
            "..",
            "a/../b",
            "../x",
            ".git",
            ".GIT/config",
            "a/.git/x",
            ".git./x",
            "a\0b",
        ] {
            assert_eq!(
                require_path(text).unwrap_err().code(),
                "file.path",
                "{text}"
            );
        }
    }
}
