//! What a checkout points at: a branch, a branch without commits, or a bare commit.

use orchestra_core::{BranchName, CommitId};
use std::path::Path;

use crate::call::Call;
use crate::error::GitError;
use crate::ref_file::{self, HeadFile};
use crate::repository::Repository;

/// The `HEAD` of a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch with commits.
    Branch {
        /// The branch.
        name: BranchName,
        /// Its newest commit.
        commit: CommitId,
    },
    /// A branch that has no commit yet.
    Unborn(String),
    /// A commit without a branch.
    Detached(CommitId),
}

impl Head {
    /// The commit, if there is one.
    #[must_use]
    pub fn commit(&self) -> Option<&CommitId> {
        match self {
            Self::Branch { commit, .. } | Self::Detached(commit) => Some(commit),
            Self::Unborn(_) => None,
        }
    }

    /// The branch, if there is one with commits.
    #[must_use]
    pub fn branch(&self) -> Option<&BranchName> {
        match self {
            Self::Branch { name, .. } => Some(name),
            Self::Unborn(_) | Self::Detached(_) => None,
        }
    }
}

impl Repository {
    /// Reads the `HEAD` that lives in `git_dir`, without starting git in the usual case.
    pub(crate) fn head_in(&self, git_dir: &Path) -> Result<Head, GitError> {
        let full_name = match ref_file::read_head(git_dir) {
            HeadFile::Detached(commit) => return Ok(Head::Detached(commit)),
            HeadFile::Symbolic(name) => name,
            HeadFile::AskGit => match self.ask_for_symbolic_head(git_dir)? {
                Some(name) => name,
                None => return self.ask_for_detached_head(git_dir),
            },
        };
        let Some(commit) = self.find_reference(&full_name)? else {
            return Ok(Head::Unborn(
                full_name.trim_start_matches("refs/heads/").to_owned(),
            ));
        };
        // A name outside our grammar is still a commit to stand on; only the branch cannot be named.
        let name = full_name
            .strip_prefix("refs/heads/")
            .and_then(|name| name.parse().ok());
        Ok(
            name.map_or(Head::Detached(commit.clone()), |name| Head::Branch {
                name,
                commit,
            }),
        )
    }

    fn ask_for_symbolic_head(&self, git_dir: &Path) -> Result<Option<String>, GitError> {
        let call = head_call("symbolic-ref", git_dir).args(["--quiet", "HEAD"]);
        let answer = self.git().run(&call)?;
        if answer.exited_with(1) {
            return Ok(None);
        }
        Ok(Some(
            answer.require_success()?.text()?.trim_end().to_owned(),
        ))
    }

    fn ask_for_detached_head(&self, git_dir: &Path) -> Result<Head, GitError> {
        let call = head_call("rev-parse", git_dir).args(["--verify", "--quiet", "HEAD"]);
        let text = self.git().run(&call)?.require_success()?.text()?;
        let commit = text
            .trim_end()
            .parse()
            .map_err(|_| call.unreadable("it is not a commit id"))?;
        Ok(Head::Detached(commit))
    }
}

fn head_call(command: &str, git_dir: &Path) -> Call {
    Call::new(command, git_dir).env("GIT_DIR", git_dir)
}
