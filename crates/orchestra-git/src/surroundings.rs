//! What is around a worktree in its repository: the main checkout and other worktrees, references, the stash, configuration
//! and hooks. It is remembered before an agent runs and compared afterwards, so that what changed can be told.
//!
//! Files are not read: the system notes when each was changed last, and nobody can set that time. So only what changed since
//! is looked at more closely, and only that is asked of git.

mod checkout;
mod git_files;
mod references;
mod stash;
#[cfg(target_os = "linux")]
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use stash::StashEntry;

use crate::error::{AtPath, GitError};
use crate::worktree::Worktree;
use checkout::CheckoutBefore;
use git_files::GitFile;

/// A moment by the clock of the file system, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Moment(u64);

/// What was around a worktree at one moment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Surroundings {
    at: Moment,
    references: BTreeMap<String, String>,
    stash: Vec<StashEntry>,
    files: BTreeMap<String, GitFile>,
    checkouts: Vec<CheckoutBefore>,
}

/// Something around a worktree that is different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SurroundingChange {
    /// A reference was made, moved or deleted.
    Reference {
        /// Its full name.
        name: String,
        /// What it was; `None`: it was not there.
        from: Option<String>,
        /// What it is; `None`: it is gone.
        to: Option<String>,
    },
    /// Entries came to the stash, or went from it.
    Stash {
        /// New ones, the newest first.
        added: Vec<StashEntry>,
        /// Those that are gone.
        removed: Vec<StashEntry>,
    },
    /// A file of the git directory is different: configuration, a hook, a list of rules.
    GitFile {
        /// Where it is, below the git directory that all worktrees share.
        path: String,
        /// The worktree that it belongs to, if it is not for all.
        worktree: Option<PathBuf>,
        /// What was in it; `None`: it was not there.
        from: Option<String>,
        /// What is in it; `None`: it is gone.
        to: Option<String>,
    },
    /// A worktree was added or removed.
    WorktreeList {
        /// Its top directory.
        worktree: PathBuf,
        /// Whether it is there now.
        is_there: bool,
    },
    /// The directory of a checkout is gone or is another one, while git still knows it.
    Directory {
        /// Which checkout.
        checkout: CheckoutPlace,
        /// Whether something is there in its place.
        is_replaced: bool,
    },
    /// A checkout has something else checked out.
    Head {
        /// Which checkout.
        checkout: CheckoutPlace,
        /// What it had, as git writes it down.
        from: String,
        /// What it has.
        to: String,
    },
    /// Something else is staged in a checkout.
    Index {
        /// Which checkout.
        checkout: CheckoutPlace,
        /// The files.
        paths: Vec<PathBuf>,
    },
    /// git was told not to look at files of a checkout any more, or to look at them again.
    PassedOver {
        /// Which checkout.
        checkout: CheckoutPlace,
        /// The files.
        paths: Vec<PathBuf>,
    },
    /// A file of a checkout is different.
    File {
        /// Which checkout.
        checkout: CheckoutPlace,
        /// The file, below it.
        path: PathBuf,
        /// What happened to it.
        fate: FileFate,
    },
}

/// A checkout of the repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CheckoutPlace {
    /// Its top directory.
    pub path: PathBuf,
    /// Whether it is the main one.
    pub is_main: bool,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileFate {
    /// It is not what git has of it.
    Changed,
    /// git tracks it, or tracked nothing there, and it is gone.
    Removed,
    /// git does not track it, and it was made or changed.
    Untracked,
}

impl Worktree {
    /// Remembers what is around this worktree. What is too large for the answer is kept in `folder`, which has to be there.
    ///
    /// # Errors
    /// If a file cannot be read, or git fails.
    pub fn remember_surroundings(&self, folder: &Path) -> Result<Surroundings, GitError> {
        let at = Moment::now_in(self.repository().common_dir())?;
        Ok(Surroundings {
            at,
            references: references::all(self.repository())?,
            stash: stash::entries(self.repository().common_dir())?,
            files: git_files::all(self)?,
            checkouts: checkout::remember_all(self, folder)?,
        })
    }

    /// What is different around this worktree since then. Files of the checkouts in `passed_over` are not looked at.
    ///
    /// # Errors
    /// If a file cannot be read, or git fails.
    pub fn changed_surroundings(
        &self,
        before: &Surroundings,
        folder: &Path,
        passed_over: &BTreeSet<PathBuf>,
    ) -> Result<Vec<SurroundingChange>, GitError> {
        let mut changes = Vec::new();
        let now = references::all(self.repository())?;
        changes.extend(references::differences(&before.references, &now));
        let now = stash::entries(self.repository().common_dir())?;
        changes.extend(stash::difference(&before.stash, &now));
        changes.extend(git_files::differences(
            &before.files,
            &git_files::all(self)?,
        ));
        changes.extend(checkout::differences(self, before, folder, passed_over)?);
        Ok(changes)
    }
}

impl Surroundings {
    /// Whether a full reference name was there.
    #[must_use]
    pub fn has_reference(&self, name: &str) -> bool {
        self.references.contains_key(name)
    }
}

impl Moment {
    /// The time that something changed now would get. The system's own clock is ahead of it.
    fn now_in(directory: &Path) -> Result<Self, GitError> {
        let mark = tempfile::Builder::new()
            .prefix("orchestra-moment")
            .tempfile_in(directory)
            .at(directory)?;
        let facts = mark.as_file().metadata().at(mark.path())?;
        Ok(Self::of(&facts))
    }

    /// When something was changed last.
    #[cfg(unix)]
    fn of(facts: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let seconds = u64::try_from(facts.ctime()).unwrap_or_default();
        let rest = u64::try_from(facts.ctime_nsec()).unwrap_or_default();
        Self(seconds.saturating_mul(1_000_000_000).saturating_add(rest))
    }

    #[cfg(not(unix))]
    fn of(facts: &Metadata) -> Self {
        let changed = facts.modified().ok();
        let since = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Self(since.map_or(0, |since| {
            u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
        }))
    }
}
