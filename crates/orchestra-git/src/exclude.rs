//! Keeps the directory for worktrees out of the user's status, through the repository's private list of ignored files.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::byte_path::{resolved, to_bytes};
use crate::error::{AtPath, GitError};
use crate::repository::Repository;
use crate::turn::Turn;

impl Repository {
    /// Adds `dir` to `info/exclude` if it is inside the main checkout and not there yet. True: the file was changed.
    ///
    /// # Errors
    /// If the file cannot be read or replaced.
    pub fn exclude_directory(&self, dir: &Path) -> Result<bool, GitError> {
        let Some(line) = self.line_for(dir) else {
            return Ok(false);
        };
        let path = self.exclude_file();
        let _turn = Turn::take(self)?;
        let content = match std::fs::read(&path) {
            Ok(content) => content,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(GitError::io(&path, error)),
        };
        if has_line(&content, &line) {
            return Ok(false);
        }
        replace(&path, &with_line(content, &line))?;
        Ok(true)
    }

    /// Whether `dir` is in `info/exclude`, as far as that can be read.
    pub(crate) fn is_excluded(&self, dir: &Path) -> bool {
        let content = std::fs::read(self.exclude_file()).unwrap_or_default();
        let line = self.line_for(dir);
        line.is_some_and(|line| has_line(&content, &line))
    }

    fn exclude_file(&self) -> PathBuf {
        self.common_dir().join("info/exclude")
    }

    fn line_for(&self, dir: &Path) -> Option<Vec<u8>> {
        let root = self.main_checkout();
        let root = root.unwrap_or_else(|| self.root().to_owned());
        exclude_line(&root, &resolved(dir))
    }
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

fn with_line(mut content: Vec<u8>, line: &[u8]) -> Vec<u8> {
    if !content.is_empty() && !content.ends_with(b"\n") {
        content.push(b'\n');
    }
    content.extend_from_slice(line);
    content.push(b'\n');
    content
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
    fn content_is_kept() {
        assert_eq!(with_line(b"*.log".to_vec(), b"/w/"), b"*.log\n/w/\n");
        assert_eq!(with_line(Vec::new(), b"/w/"), b"/w/\n");
    }
}
