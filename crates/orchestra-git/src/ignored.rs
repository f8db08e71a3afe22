//! What git ignores in a worktree: files that no commit has, such as settings of one machine and dependencies.

use std::path::PathBuf;

use crate::byte_path::from_bytes;
use crate::error::GitError;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

/// Something that git ignores.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ignored {
    /// Where it is, below the worktree.
    pub path: PathBuf,
    /// Whether it is a directory in which nothing is tracked or waits to be; a link to one is not.
    pub is_directory: bool,
}

impl Worktree {
    /// What git ignores there, by path. An ignored directory stands for everything in it; one that only happens to hold
    /// nothing but ignored files is there beside them. Runs nothing of the repository's own.
    ///
    /// # Errors
    /// If the worktree is gone or git fails.
    pub fn ignored(&self) -> Result<Vec<Ignored>, GitError> {
        let head = self.head()?;
        let Some(commit) = head.commit() else {
            return Err(GitError::NoSuchRevision("HEAD".to_owned()));
        };
        let shadow = Shadow::of_worktree(self, commit)?;
        let call = shadow.call("ls-files").args([
            "--others",
            "--ignored",
            "--exclude-standard",
            "--directory",
            "-z",
        ]);
        let answer = self.repository().git().run(&call)?.require_success()?;
        let mut ignored: Vec<_> = parsed(&answer.stdout).collect();
        ignored.sort();
        Ok(ignored)
    }
}

fn parsed(bytes: &[u8]) -> impl Iterator<Item = Ignored> {
    let records = bytes.split(|byte| *byte == 0);
    let records = records.filter(|record| !record.is_empty());
    records.map(|record| match record.strip_suffix(b"/") {
        Some(directory) => Ignored {
            path: from_bytes(directory),
            is_directory: true,
        },
        None => Ignored {
            path: from_bytes(record),
            is_directory: false,
        },
    })
}
