//! Keeps folders of ours out of the status of the main checkout: by a list of ignored files in each, which no other worktree
//! has. The repository's own `info/exclude` would hide folders of the same name in every worktree.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::byte_path::{resolved, to_bytes};
use crate::error::{AtPath, GitError};
use crate::repository::Repository;
use crate::repository_lock::RepositoryLock;
use crate::worktree_folder::{has_only_worktrees, holds_worktree};

const LIST: &str = ".gitignore";
const CONTENT: &str = "# Made by Orchestra: keeps this folder out of `git status`.\n*\n";
/// A list that is longer is nobody's mark.
const LONGEST: u64 = 64 * 1024;

impl Repository {
    /// Makes a folder that is inside the main checkout, with a list in it that ignores everything there; a list that does so
    /// stays as it is. The line for it in `info/exclude`, which earlier versions wrote, goes. True: something was changed.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn keep_out_of_status(&self, folder: &Path) -> Result<bool, GitError> {
        let folder = resolved(folder);
        if self.line_for(&folder).is_none() {
            return Ok(false);
        }
        let _lock = RepositoryLock::take(self)?;
        let is_new = !is_kept_out(&folder);
        if is_new {
            put_list(&folder)?;
        }
        Ok(self.remove_line(&folder)? || is_new)
    }

    /// Whether `info/exclude` has the line for a folder that earlier versions wrote, as far as that can be read.
    #[must_use]
    pub fn has_exclude_line(&self, folder: &Path) -> bool {
        let content = std::fs::read(self.exclude_file()).unwrap_or_default();
        let line = self.line_for(&resolved(folder));
        line.is_some_and(|line| has_line(&content, &line))
    }

    /// Takes the line for a folder out of `info/exclude`.
    ///
    /// # Errors
    /// If the file cannot be read or replaced.
    pub fn remove_exclude_line(&self, folder: &Path) -> Result<bool, GitError> {
        let _lock = RepositoryLock::take(self)?;
        self.remove_line(&resolved(folder))
    }

    /// Whether a list of ours hides what is no worktree: the repository has files in the folder, or worktrees are there no more.
    ///
    /// # Errors
    /// If git fails.
    pub fn hides_other_files(&self, folder: &Path) -> Result<bool, GitError> {
        let folder = resolved(folder);
        if !is_ours(&folder) || has_only_worktrees(&folder) {
            return Ok(false);
        }
        let is_free = !holds_worktree(&folder);
        Ok(is_free || self.find_tracked_below(&folder)?.is_some())
    }

    /// Removes a folder in which nothing but the list of ours is: what it was made for did not come.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove_unused_folder(&self, folder: &Path) -> Result<(), GitError> {
        let folder = resolved(folder);
        let _lock = RepositoryLock::take(self)?;
        if is_ours(&folder) && std::fs::read_dir(&folder).at(&folder)?.count() == 1 {
            let list = folder.join(LIST);
            std::fs::remove_file(&list).at(&list)?;
            std::fs::remove_dir(&folder).at(&folder)?;
        }
        Ok(())
    }

    /// Removes the list of ours in a folder.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn show_in_status(&self, folder: &Path) -> Result<(), GitError> {
        let folder = resolved(folder);
        let _lock = RepositoryLock::take(self)?;
        if is_ours(&folder) {
            let list = folder.join(LIST);
            std::fs::remove_file(&list).at(&list)?;
        }
        Ok(())
    }

    fn remove_line(&self, folder: &Path) -> Result<bool, GitError> {
        let (path, line) = (self.exclude_file(), self.line_for(folder));
        let Some(line) = line else {
            return Ok(false);
        };
        let content = match std::fs::read(&path) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(GitError::io(&path, error)),
        };
        if !has_line(&content, &line) {
            return Ok(false);
        }
        replace(&path, &without_line(&content, &line))?;
        Ok(true)
    }

    fn exclude_file(&self) -> PathBuf {
        self.common_dir().join("info/exclude")
    }

    fn line_for(&self, folder: &Path) -> Option<Vec<u8>> {
        let root = self.main_checkout();
        let root = root.unwrap_or_else(|| self.root().to_owned());
        exclude_line(&root, folder)
    }
}

/// Whether a list in the folder ignores everything there, whoever made it.
pub(crate) fn is_kept_out(folder: &Path) -> bool {
    let content = list_in(folder).unwrap_or_default();
    content.lines().any(|line| line == "*")
}

/// Whether something in the folder is the list: whole, or empty as a killed process left it.
pub(crate) fn is_list(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(path);
    let is_empty = || list_in(folder).is_some_and(|content| content.is_empty());
    path.ends_with(LIST) && (is_kept_out(folder) || is_empty())
}

fn is_ours(folder: &Path) -> bool {
    list_in(folder).is_some_and(|content| content == CONTENT)
}

fn list_in(folder: &Path) -> Option<String> {
    let list = folder.join(LIST);
    let metadata = std::fs::symlink_metadata(&list).ok()?;
    let is_plain = metadata.is_file() && metadata.len() <= LONGEST;
    is_plain.then(|| std::fs::read_to_string(&list).ok())?
}

/// A list that is there says something else on purpose, unless it is empty.
fn put_list(folder: &Path) -> Result<(), GitError> {
    std::fs::create_dir_all(folder).at(folder)?;
    let list = folder.join(LIST);
    let is_free = std::fs::symlink_metadata(&list).is_err();
    if is_free || is_list(&list) {
        let write = |mut file: File| file.write_all(CONTENT.as_bytes());
        open_list(folder).and_then(write).at(&list)?;
    }
    Ok(())
}

/// The folder is the one at this path, even if somebody puts a link in its place meanwhile.
#[cfg(unix)]
fn open_list(folder: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};
    let plain = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = open(folder, plain | OFlags::DIRECTORY, Mode::empty())?;
    let new = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
    let list = openat(folder, LIST, plain | new, Mode::from_raw_mode(0o666))?;
    Ok(list.into())
}

#[cfg(not(unix))]
fn open_list(folder: &Path) -> io::Result<File> {
    File::create(folder.join(LIST))
}

fn has_line(content: &[u8], line: &[u8]) -> bool {
    content
        .split(|byte| *byte == b'\n')
        .any(|present| present == line)
}

/// `/dir/` with everything escaped that has a meaning there. None: outside, or the whole checkout.
fn exclude_line(root: &Path, dir: &Path) -> Option<Vec<u8>> {
    let relative = to_bytes(dir.strip_prefix(root).ok()?);
    if relative.is_empty() || relative.contains(&b'\n') {
        return None;
    }
    let mut line = vec![b'/'];
    for byte in relative {
        if b"\\*?[ ".contains(&byte) {
            line.push(b'\\');
        }
        line.push(byte);
    }
    line.push(b'/');
    Some(line)
}

fn without_line(content: &[u8], line: &[u8]) -> Vec<u8> {
    let lines = content.split_inclusive(|byte| *byte == b'\n');
    let others = lines.filter(|present| present.strip_suffix(b"\n").unwrap_or(present) != line);
    others.flatten().copied().collect()
}

fn replace(path: &Path, content: &[u8]) -> Result<(), GitError> {
    let dir = path.parent().unwrap_or(path);
    std::fs::create_dir_all(dir).at(dir)?;
    let mut file = NamedTempFile::new_in(dir).at(dir)?;
    file.write_all(content)
        .and_then(|()| file.as_file().sync_all())
        .at(path)?;
    if let Ok(metadata) = std::fs::metadata(path) {
        std::fs::set_permissions(file.path(), metadata.permissions()).at(path)?;
    }
    file.persist(path)
        .map_err(|error| GitError::io(path, error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_anchored_and_escaped() {
        let line = |dir: &str| {
            exclude_line(Path::new("/r"), Path::new(dir))
                .map(|line| String::from_utf8(line).unwrap())
        };
        assert_eq!(line("/r/.worktrees").as_deref(), Some("/.worktrees/"));
        assert_eq!(line("/r/a b/[x]").as_deref(), Some("/a\\ b/\\[x]/"));
        assert_eq!(line("/r"), None);
        assert_eq!(line("/elsewhere"), None);
        assert_eq!(line("/r/a\nb"), None);
    }

    #[test]
    fn other_lines_are_kept() {
        assert_eq!(
            without_line(b"*.log\n/w/\n/x/w/\n", b"/w/"),
            b"*.log\n/x/w/\n"
        );
        assert_eq!(without_line(b"/w/", b"/w/"), b"");
        assert_eq!(without_line(b"/w/\n\na", b"/w/"), b"\na");
    }
}
