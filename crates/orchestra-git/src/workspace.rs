//! A workspace: a git directory of an agent's own beside its worktree, made like a `git clone --shared`. The agent commits there;
//! the repository's own objects and references are only read.
//!
//! What the agent left in it is hostile. Its configuration is never read: objects are packed and checked through a shadow,
//! references are read as files. Nothing of it is written to after the agent had it, except that the list of lenders is
//! removed; a new turn gets a new directory.

mod error;
mod fetch;
mod make;
mod objects;
mod references;

use std::fs;
use std::path::{Path, PathBuf};

pub use error::WorkspaceError;
pub use fetch::{LeftElsewhere, WorkspaceWork};

use crate::disk;
use crate::error::{AtPath, GitError};
use crate::in_progress::InProgress;

const GIT: &str = "git";
const NEW: &str = "new";
const OLD: &str = "old";
const LINK: &str = "link";
const GIVEN: &str = "given";
const GIVEN_HEAD: &str = "given-head";
const DUE: &str = "due";
const EARLIER: &str = "earlier";
const ASIDE: &str = "aside";

/// The folder of one session's workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    folder: PathBuf,
}

impl Workspace {
    /// The workspace that is, or will be, in a folder of its own.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// What an agent has to be able to read.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The git directory, which an agent writes.
    #[must_use]
    pub fn git_dir(&self) -> PathBuf {
        self.folder.join(GIT)
    }

    /// What an agent has to find in the place of the worktree's `.git`.
    #[must_use]
    pub fn link(&self) -> PathBuf {
        self.folder.join(LINK)
    }

    /// Whether an agent had it, and what it committed was not fetched since.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.folder.join(DUE).exists()
    }

    /// What git is in the middle of there.
    #[must_use]
    pub fn in_progress(&self) -> Option<InProgress> {
        InProgress::find(&self.git_dir())
    }

    /// Everything was fetched.
    ///
    /// # Errors
    /// If that cannot be written down.
    pub fn settle(&self) -> Result<(), GitError> {
        let due = self.folder.join(DUE);
        match fs::remove_file(&due) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(GitError::io(&due, error))
            }
            _ => disk::sync_directory(&self.folder),
        }
    }

    /// Keeps what cannot be fetched out of the way of the next turn. Answers where it is.
    ///
    /// # Errors
    /// If it cannot be moved.
    pub fn set_aside(&self) -> Result<PathBuf, GitError> {
        let place = self.next_place(ASIDE)?;
        fs::rename(self.git_dir(), &place).at(&place)?;
        self.settle()?;
        Ok(place)
    }

    /// A name in a folder that nothing has yet.
    fn next_place(&self, folder: &str) -> Result<PathBuf, GitError> {
        let folder = self.folder.join(folder);
        fs::create_dir_all(&folder).at(&folder)?;
        let mut number = fs::read_dir(&folder).at(&folder)?.count();
        while folder.join(number.to_string()).exists() {
            number += 1;
        }
        Ok(folder.join(number.to_string()))
    }

    /// Objects of earlier turns that something in the workspace still needs.
    fn earlier_objects(&self) -> Result<Vec<PathBuf>, GitError> {
        let folder = self.folder.join(EARLIER);
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.at(&folder)?,
        };
        let mut found = Vec::new();
        for entry in entries {
            found.push(entry.at(&folder)?.path());
        }
        found.sort();
        Ok(found)
    }
}
