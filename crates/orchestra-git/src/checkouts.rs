//! What every linked worktree has checked out, however many there are, read from git's own files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use crate::byte_path::resolved;
use crate::error::GitError;
use crate::ref_file::{self, HeadFile};
use crate::repository::Repository;
use crate::worktree::{AdminDir, WorktreeEntry};

/// What a worktree stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckedOut {
    /// A branch, by its short name. It need not exist, and may have a name that sessions could not have.
    Branch(String),
    /// A commit without a branch.
    Commit(CommitId),
}

/// The linked worktrees of a repository and what they stand on.
#[derive(Debug, Clone, Default)]
pub struct Checkouts(HashMap<PathBuf, CheckedOut>);

impl Checkouts {
    /// What the worktree at `path` stands on, if git knows one there.
    #[must_use]
    pub fn at(&self, path: &Path) -> Option<&CheckedOut> {
        let found = self.0.get(path);
        found.or_else(|| self.0.get(&resolved(path)))
    }
}

impl Repository {
    /// Looks at all linked worktrees. One git process if their files do not say, and none otherwise.
    ///
    /// # Errors
    /// If git's folder of worktrees cannot be read, or git fails.
    pub fn checkouts(&self) -> Result<Checkouts, GitError> {
        let mut found = HashMap::new();
        for dir in self.admin_paths()? {
            let Some(worktree) = AdminDir::named_worktree(&dir) else {
                continue;
            };
            let checked_out = match ref_file::read_head(&dir) {
                HeadFile::Symbolic(name) => CheckedOut::Branch(short(&name)),
                HeadFile::Detached(commit) => CheckedOut::Commit(commit),
                HeadFile::AskGit => return self.ask_for_checkouts(),
            };
            found.insert(worktree, checked_out);
        }
        Ok(Checkouts(found))
    }

    fn ask_for_checkouts(&self) -> Result<Checkouts, GitError> {
        let listed = self.list_worktrees()?.into_iter();
        let known = listed.filter_map(|entry| Some((entry.path.clone(), checked_out(entry)?)));
        Ok(Checkouts(known.collect()))
    }
}

fn checked_out(entry: WorktreeEntry) -> Option<CheckedOut> {
    let branch = entry.branch.map(CheckedOut::Branch);
    branch.or_else(|| entry.head.map(CheckedOut::Commit))
}

fn short(full_name: &str) -> String {
    let name = full_name.strip_prefix("refs/heads/");
    name.unwrap_or(full_name).to_owned()
}
