//! Files as they are: content, permissions and links are copied, never converted.

use std::fs;
use std::io;
use std::path::Path;

use crate::error::{AtPath, GitError};

/// Copies a file or link to a place where nothing is. Anything else, such as a directory, is left alone.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), GitError> {
    let Some(kind) = kind(from)? else {
        return Ok(());
    };
    let parent = to.parent().unwrap_or(to);
    fs::create_dir_all(parent).at(parent)?;
    match kind {
        Kind::File => {
            fs::copy(from, to).at(to)?;
            fs::File::open(to).and_then(|file| file.sync_all()).at(to)
        }
        Kind::Link => link(&fs::read_link(from).at(from)?, to).at(to),
    }
}

/// Removes a file or link, and the directories that it leaves empty: git knows none.
pub(super) fn remove(top: &Path, path: &Path) -> Result<(), GitError> {
    if is_free(top, path)? {
        return Ok(());
    }
    let full = top.join(path);
    fs::remove_file(&full).at(&full)?;
    for parent in path.ancestors().skip(1) {
        let is_top = parent.as_os_str().is_empty();
        if is_top || fs::remove_dir(top.join(parent)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Whether both are the same file or link, or neither is there.
pub(super) fn are_same(one: &Path, other: &Path) -> Result<bool, GitError> {
    let kinds = (kind(one)?, kind(other)?);
    Ok(match kinds {
        (None, None) => true,
        (Some(Kind::Link), Some(Kind::Link)) => {
            fs::read_link(one).at(one)? == fs::read_link(other).at(other)?
        }
        (Some(Kind::File), Some(Kind::File)) => {
            let permissions = |path: &Path| fs::metadata(path).map(|data| data.permissions());
            permissions(one).at(one)? == permissions(other).at(other)?
                && fs::read(one).at(one)? == fs::read(other).at(other)?
        }
        _ => false,
    })
}

/// Whether no file or link is there, as seen from the top without following links.
pub(super) fn is_free(top: &Path, path: &Path) -> Result<bool, GitError> {
    Ok(leads_away(top, path) || kind(&top.join(path))?.is_none())
}

/// Whether a directory above a path is a link, so that what is behind it is not in the worktree.
pub(super) fn leads_away(top: &Path, path: &Path) -> bool {
    path.ancestors()
        .skip(1)
        .any(|parent| !parent.as_os_str().is_empty() && top.join(parent).is_symlink())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Link,
}

fn kind(path: &Path) -> Result<Option<Kind>, GitError> {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_symlink() => Ok(Some(Kind::Link)),
        Ok(data) => Ok(data.is_file().then_some(Kind::File)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(GitError::io(path, error)),
    }
}

/// A file where a directory is wanted means that nothing is below it.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(windows)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, at)
}
