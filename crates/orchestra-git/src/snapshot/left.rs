//! What an operation left behind, so that it can be told later what came after it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::{Snapshot, SnapshotError};
use crate::byte_path::{from_bytes, to_bytes};
use crate::disk;
use crate::error::GitError;
use crate::files::Place;
use crate::worktree::Worktree;

const LEFT: &str = "left";

/// The state of a worktree in short: `HEAD`, the branch, the index, and a mark of every file with something uncommitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) head: String,
    pub(super) branch: String,
    pub(super) index: String,
    pub(super) files: BTreeMap<PathBuf, String>,
}

impl Left {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for text in [&self.head, &self.branch, &self.index] {
            bytes.extend(text.as_bytes());
            bytes.push(0);
        }
        for (path, mark) in &self.files {
            bytes.extend(mark.as_bytes());
            bytes.push(b' ');
            bytes.extend(to_bytes(path));
            bytes.push(0);
        }
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = bytes.strip_suffix(b"\0")?.split(|byte| *byte == 0);
        let mut text = || String::from_utf8(fields.next()?.to_vec()).ok();
        let (head, branch, index) = (text()?, text()?, text()?);
        let mut files = BTreeMap::new();
        for field in fields {
            let space = field.iter().position(|byte| *byte == b' ')?;
            let mark = String::from_utf8(field[..space].to_vec()).ok()?;
            files.insert(from_bytes(&field[space + 1..]), mark);
        }
        Some(Self {
            head,
            branch,
            index,
            files,
        })
    }
}

impl Snapshot {
    /// What the operation left that this snapshot was taken for.
    pub(super) fn left(&self) -> Result<Left, SnapshotError> {
        let bytes = fs::read(self.folder.join(LEFT)).map_err(|_| self.damaged())?;
        Left::parse(&bytes).ok_or_else(|| self.damaged())
    }

    /// Files with something uncommitted that the operation left as they were.
    pub(super) fn untouched(&self, left: &Left) -> Result<BTreeSet<PathBuf>, SnapshotError> {
        let mut untouched = BTreeSet::new();
        for path in self.paths()? {
            if left.files.get(&path) == Some(&mark(&self.files(), &path)?) {
                untouched.insert(path);
            }
        }
        Ok(untouched)
    }
}

impl Worktree {
    /// Writes down how the operation left the worktree that a snapshot was taken for.
    ///
    /// # Errors
    /// If the worktree cannot be looked at.
    pub fn record_left(&self, kept: &Snapshot) -> Result<(), SnapshotError> {
        let left = self.left_now(kept)?;
        Ok(disk::write(&kept.folder.join(LEFT), &left.to_bytes())?)
    }

    pub(super) fn left_now(&self, kept: &Snapshot) -> Result<Left, SnapshotError> {
        let (branch, _) = kept.branch()?;
        let commit = self.repository().find_branch(&branch)?;
        let mut files = BTreeMap::new();
        for path in self.status()?.paths() {
            let mark = mark(self.path(), &path)?;
            files.insert(path, mark);
        }
        Ok(Left {
            head: self.head_text()?.trim_end().to_owned(),
            branch: commit.map_or_else(|| "-".to_owned(), |commit| commit.to_string()),
            index: self.index_mark()?,
            files,
        })
    }

    /// Tells two states of the index apart.
    pub(super) fn index_mark(&self) -> Result<String, SnapshotError> {
        let head = self.head()?;
        let commit = head
            .commit()
            .ok_or_else(|| GitError::NoSuchRevision("HEAD".to_owned()))?;
        Ok(hash(&self.index_entries(commit)?.to_bytes()))
    }
}

/// Tells two contents of a file apart: what kind it is, its permissions, and its bytes.
fn mark(top: &Path, path: &Path) -> Result<String, GitError> {
    let place = Place::new(top, path);
    Ok(match place.content()? {
        Some((kind, bytes)) => format!("{kind}-{}-{}", bytes.len(), hash(&bytes)),
        None => "none".to_owned(),
    })
}

/// Two contents that people or programs make by chance never meet here; whoever makes them meet on purpose only hides a change
/// of their own, which is in the snapshot that every undo takes first.
fn hash(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let left = Left {
            head: "ref: refs/heads/a".to_owned(),
            branch: "-".to_owned(),
            index: "0".to_owned(),
            files: [(PathBuf::from("a b\nc"), "none".to_owned())].into(),
        };
        assert_eq!(Left::parse(&left.to_bytes()), Some(left));
        assert_eq!(Left::parse(b""), None);
        assert_eq!(Left::parse(b"a\0b\0c\0no-space\0"), None);
    }
}
