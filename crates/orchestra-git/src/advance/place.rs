//! Where a branch is checked out, and what goes on there.

use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::BranchName;

use super::AdvanceError;
use crate::error::GitError;
use crate::in_progress::InProgress;
use crate::repository::Repository;
use crate::worktree::Worktree;

/// Where git keeps the branch that a rebase will move when it is done.
const REBASED: [&str; 2] = ["rebase-merge/head-name", "rebase-apply/head-name"];
/// Other branches that a rebase will move too, with their commits in between.
const REBASED_TOO: &str = "rebase-merge/update-refs";

/// Where a branch is checked out.
#[derive(Debug, Clone)]
pub struct BranchPlace {
    /// The branch.
    pub branch: BranchName,
    /// Every checkout that has it, the main one first. git allows several with `--force`.
    pub checkouts: Vec<Checkout>,
}

/// One checkout of a branch.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// Where it is.
    pub worktree: Worktree,
    /// What somebody is in the middle of there.
    pub busy: Option<Busy>,
}

/// What keeps a branch from being moved in a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Busy {
    /// git waits for somebody. With a rebase, the branch is the one that is rebased, and `HEAD` is somewhere else.
    InProgress(InProgress),
    /// Another git process works there, or one was killed.
    IndexLocked(PathBuf),
}

impl BranchPlace {
    /// The only checkout of the branch, if any, which nobody is in the middle of something in.
    ///
    /// # Errors
    /// If it is busy, or there are several.
    pub fn require_free(self) -> Result<Option<Worktree>, AdvanceError> {
        if self.checkouts.len() > 1 {
            let path = |checkout: Checkout| checkout.worktree.path().to_owned();
            return Err(AdvanceError::CheckedOutTwice {
                branch: self.branch,
                places: self.checkouts.into_iter().map(path).collect(),
            });
        }
        match self.checkouts.into_iter().next() {
            None => Ok(None),
            Some(Checkout {
                worktree,
                busy: None,
            }) => Ok(Some(worktree)),
            Some(Checkout {
                worktree,
                busy: Some(busy),
            }) => Err(AdvanceError::Busy {
                branch: self.branch,
                place: worktree.path().to_owned(),
                busy,
            }),
        }
    }
}

impl Repository {
    /// Looks at every worktree's `HEAD`, and at what it is in the middle of.
    ///
    /// # Errors
    /// If the list of worktrees cannot be read.
    pub fn branch_place(&self, branch: &BranchName) -> Result<BranchPlace, GitError> {
        let mut checkouts = Vec::new();
        for worktree in self.worktrees_on_disk()? {
            let is_on_it = worktree
                .head()
                .is_ok_and(|head| head.branch() == Some(branch));
            if is_on_it || is_rebasing(worktree.admin_dir(), branch) {
                let busy = busy(&worktree);
                checkouts.push(Checkout { worktree, busy });
            }
        }
        Ok(BranchPlace {
            branch: branch.clone(),
            checkouts,
        })
    }
}

fn is_rebasing(admin_dir: &Path, branch: &BranchName) -> bool {
    let full_name = branch.full_ref();
    let names = |file: &str| fs::read_to_string(admin_dir.join(file)).unwrap_or_default();
    let mut rebased = REBASED.iter().map(|file| names(file));
    rebased.any(|text| text.trim_end() == full_name)
        || names(REBASED_TOO).lines().any(|line| line == full_name)
}

/// A bisection waits for nothing that is in the files or on the branch.
fn busy(worktree: &Worktree) -> Option<Busy> {
    let operation = worktree.in_progress();
    if let Some(operation) = operation.filter(|found| *found != InProgress::Bisect) {
        return Some(Busy::InProgress(operation));
    }
    let lock = worktree.admin_dir().join("index.lock");
    lock.exists().then_some(Busy::IndexLocked(lock))
}
