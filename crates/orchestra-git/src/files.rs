//! Files as they are: content, permissions and links are copied, never converted.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::byte_path::to_bytes;
use crate::error::{AtPath, GitError};

/// A name below a directory. A link on the way to it is not followed: nothing is there then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    top: &'a Path,
    path: &'a Path,
}

impl<'a> Place<'a> {
    pub(crate) fn new(top: &'a Path, path: &'a Path) -> Self {
        Self { top, path }
    }

    /// Whether no file or link is there.
    pub(crate) fn is_free(self) -> Result<bool, GitError> {
        Ok(self.kind()?.is_none())
    }

    /// The kind with its permissions, and the bytes or the target; `None` if no file or link is there.
    pub(crate) fn content(self) -> Result<Option<(String, Vec<u8>)>, GitError> {
        let full = self.full();
        Ok(match self.kind()? {
            None => None,
            Some(Kind::Link) => {
                let target = fs::read_link(&full).at(&full)?;
                Some(("link".to_owned(), to_bytes(&target)))
            }
            Some(Kind::File) => {
                let permissions = fs::metadata(&full).at(&full)?.permissions();
                let bytes = fs::read(&full).at(&full)?;
                Some((format!("file{}", mode(&permissions)), bytes))
            }
        })
    }

    /// Whether both are the same file or link, or neither is there.
    pub(crate) fn is_same_as(self, other: Place<'_>) -> Result<bool, GitError> {
        let (one, two) = (self.full(), other.full());
        Ok(match (self.kind()?, other.kind()?) {
            (None, None) => true,
            (Some(Kind::Link), Some(Kind::Link)) => {
                fs::read_link(&one).at(&one)? == fs::read_link(&two).at(&two)?
            }
            (Some(Kind::File), Some(Kind::File)) => {
                let permissions = |path: &Path| fs::metadata(path).map(|data| data.permissions());
                permissions(&one).at(&one)? == permissions(&two).at(&two)?
                    && fs::read(&one).at(&one)? == fs::read(&two).at(&two)?
            }
            _ => false,
        })
    }

    /// What keeps a file from being put here once the files of `leaving` are gone: a file or link where a directory is
    /// needed, or a directory that something stays in.
    pub(crate) fn obstacle(self, leaving: &BTreeSet<PathBuf>) -> Result<Option<PathBuf>, GitError> {
        for parent in self.path.ancestors().skip(1) {
            if !Place::new(self.top, parent).is_free()? && !leaving.contains(parent) {
                return Ok(Some(parent.to_owned()));
            }
        }
        if self.leads_away() || !is_directory(&self.full()) {
            return Ok(None);
        }
        self.staying(leaving)
    }

    /// Copies a file or link to a place where nothing is, whole or not at all: it is written under the name `unfinished` of
    /// the same file system first. Anything else, such as a directory, is left alone.
    pub(crate) fn copy_to(self, to: Place<'_>, unfinished: &Path) -> Result<(), GitError> {
        let Some(kind) = self.kind()? else {
            return Ok(());
        };
        let (from, to) = (self.full(), to.full());
        match kind {
            Kind::File => {
                fs::copy(&from, unfinished).at(&from)?;
                sync(unfinished)?;
            }
            Kind::Link => link(&fs::read_link(&from).at(&from)?, unfinished).at(unfinished)?,
        }
        let parent = to.parent().unwrap_or(&to);
        fs::create_dir_all(parent).at(parent)?;
        if is_directory(&to) {
            remove_empty(&to)?;
        }
        fs::rename(unfinished, &to).at(&to)
    }

    /// Puts content here, in the place of a file, which keeps its permissions, or of a link. Nothing else may be here.
    pub(crate) fn write(self, content: &[u8]) -> Result<(), GitError> {
        let full = self.full();
        if self.kind()? == Some(Kind::Link) {
            fs::remove_file(&full).at(&full)?;
        }
        let parent = full.parent().unwrap_or(&full);
        fs::create_dir_all(parent).at(parent)?;
        if is_directory(&full) {
            remove_empty(&full)?;
        }
        fs::write(&full, content).at(&full)
    }

    /// Removes a file or link, and the directories that it leaves empty: git knows none.
    pub(crate) fn remove(self) -> Result<(), GitError> {
        if self.is_free()? {
            return Ok(());
        }
        let full = self.full();
        fs::remove_file(&full).at(&full)?;
        for parent in self.path.ancestors().skip(1) {
            let is_top = parent.as_os_str().is_empty();
            if is_top || fs::remove_dir(self.top.join(parent)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Something in this directory that is not one of `leaving`.
    fn staying(self, leaving: &BTreeSet<PathBuf>) -> Result<Option<PathBuf>, GitError> {
        let full = self.full();
        for entry in fs::read_dir(&full).at(&full)? {
            let path = self.path.join(entry.at(&full)?.file_name());
            let found = if is_directory(&self.top.join(&path)) {
                Place::new(self.top, &path).staying(leaving)?
            } else {
                (!leaving.contains(&path)).then_some(path)
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Whether a directory above it is a link, so that what is behind it is somewhere else.
    fn leads_away(self) -> bool {
        let mut parents = self.path.ancestors().skip(1);
        parents.any(|parent| !parent.as_os_str().is_empty() && self.top.join(parent).is_symlink())
    }

    fn full(self) -> PathBuf {
        self.top.join(self.path)
    }

    fn kind(self) -> Result<Option<Kind>, GitError> {
        if self.leads_away() {
            return Ok(None);
        }
        let full = self.full();
        match fs::symlink_metadata(&full) {
            Ok(data) if data.is_symlink() => Ok(Some(Kind::Link)),
            Ok(data) => Ok(data.is_file().then_some(Kind::File)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(GitError::io(&full, error)),
        }
    }
}

/// What was written is on the disk afterwards.
pub(crate) fn sync(path: &Path) -> Result<(), GitError> {
    fs::File::open(path)
        .and_then(|file| file.sync_all())
        .at(path)
}

/// Removes a file that may be there.
pub(crate) fn remove_if_present(path: &Path) -> Result<(), GitError> {
    match fs::remove_file(path) {
        Err(error) if !is_absent(&error) => Err(GitError::io(path, error)),
        _ => Ok(()),
    }
}

/// Removes directories that hold nothing but directories.
fn remove_empty(directory: &Path) -> Result<(), GitError> {
    for entry in fs::read_dir(directory).at(directory)? {
        let path = entry.at(directory)?.path();
        if is_directory(&path) {
            remove_empty(&path)?;
        }
    }
    fs::remove_dir(directory).at(directory)
}

fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_dir())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Link,
}

/// A file where a directory is wanted means that nothing is below it.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(unix)]
fn mode(permissions: &fs::Permissions) -> String {
    use std::os::unix::fs::PermissionsExt;
    format!("{:o}", permissions.mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(permissions: &fs::Permissions) -> String {
    permissions.readonly().to_string()
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(windows)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, at)
}
