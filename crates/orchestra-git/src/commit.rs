//! Commits of the engine: everything that changed, in two steps, so that a record can be written between "the commit exists"
//! and "the branch points at it".

mod error;
mod since;
mod stage;
mod within;

use std::path::PathBuf;

use orchestra_core::{BranchName, CommitId, Timestamp};

pub use error::CommitError;
pub use since::RememberedFiles;

use crate::call::Call;
use crate::configuration::Identity;
use crate::error::GitError;
use crate::head::Head;
use crate::in_progress::InProgress;
use crate::reference::{Moved, RefMove};
use crate::repository::Repository;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

/// What to commit and as whom.
#[derive(Debug, Clone, Default)]
pub struct CommitRequest {
    /// The whole message.
    pub message: String,
    /// Who wrote the change; the user of the repository if absent.
    pub author: Option<Identity>,
    /// Who commits it; the user of the repository if absent.
    pub committer: Option<Identity>,
    /// When; git's clock if absent.
    pub at: Option<Timestamp>,
    /// Only these files or directories.
    pub paths: Option<Vec<PathBuf>>,
}

/// A commit that exists and that no branch points at yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The new commit.
    pub commit: CommitId,
    /// The commit it stands on.
    pub parent: CommitId,
    /// The branch it is for; `None` moves a detached `HEAD`.
    pub branch: Option<BranchName>,
    /// The first line of its message.
    pub subject: String,
    /// Repositories inside the worktree, which were left out: a commit could only hold a dead link to them.
    pub left_out: Vec<PathBuf>,
}

impl Worktree {
    /// Stages everything that changed and makes the commit object. `None`: nothing changed.
    ///
    /// # Errors
    /// If an operation or a conflict waits for somebody, nobody is known as the author, or git fails.
    pub fn prepare_commit(&self, request: &CommitRequest) -> Result<Option<Prepared>, CommitError> {
        let paths = match &request.paths {
            Some(paths) => self.paths_within(paths)?,
            None => None,
        };
        let request = &CommitRequest {
            paths,
            ..request.clone()
        };
        let head = self.head()?;
        let parent = self.require_ready(&head)?;
        let shadow = Shadow::of_worktree(self, &parent)?;
        let left_out = self.stage(&shadow, request.paths.as_deref())?;
        if !self.write_commit(&shadow, request)? {
            return Ok(None);
        }
        let (commit, branch, subject) = (shadow.head()?, head.branch().cloned(), request.subject());
        Ok(Some(Prepared {
            commit,
            parent,
            branch,
            subject,
            left_out,
        }))
    }

    /// Moves the branch to a prepared commit, unless the branch moved meanwhile. Doing it twice is harmless.
    ///
    /// # Errors
    /// If the branch is somewhere else now, or git fails.
    pub fn publish_commit(&self, prepared: &Prepared) -> Result<(), CommitError> {
        let branch = prepared.branch.as_ref().map(BranchName::full_ref);
        let change = RefMove {
            full_name: branch.as_deref().unwrap_or("HEAD"),
            from: Some(&prepared.parent),
            to: &prepared.commit,
            why: &format!("commit: {}", prepared.subject),
        };
        match self
            .repository()
            .move_reference_in(self.admin_dir(), &change)?
        {
            Moved::Yes => Ok(()),
            Moved::Refused(Some(current)) if current == prepared.commit => Ok(()),
            Moved::Refused(current) => Err(CommitError::Moved {
                parent: prepared.parent.clone(),
                current,
            }),
        }
    }

    pub(crate) fn require_ready(&self, head: &Head) -> Result<CommitId, CommitError> {
        if let Some(operation) = self
            .in_progress()
            .filter(|found| *found != InProgress::Bisect)
        {
            return Err(CommitError::OperationInProgress(operation));
        }
        if self.admin_dir().join("index.lock").exists() {
            return Err(CommitError::IndexLocked(
                self.admin_dir().join("index.lock"),
            ));
        }
        head.commit()
            .cloned()
            .ok_or_else(|| GitError::NoSuchRevision("HEAD".to_owned()).into())
    }

    /// Commits the index into the shadow's own `HEAD`. False: the index equals the parent.
    fn write_commit(&self, shadow: &Shadow, request: &CommitRequest) -> Result<bool, CommitError> {
        let call = shadow.call("commit").args([
            "--quiet",
            "--no-verify",
            "--no-gpg-sign",
            "--cleanup=verbatim",
            "--file=-",
        ]);
        let call = self.as_people(call, request)?;
        let call = match &request.paths {
            Some(paths) => call.args(["--only", "--"]).args(paths),
            None => call,
        };
        let answer = self
            .repository()
            .git()
            .run(&call.stdin(request.message_bytes()))?;
        if answer.is_success() {
            return Ok(true);
        }
        if answer.exited_with(1) && self.is_index_unchanged(shadow, request.paths.as_deref())? {
            return Ok(false);
        }
        Err(answer.failure().into())
    }

    fn is_index_unchanged(
        &self,
        shadow: &Shadow,
        paths: Option<&[PathBuf]>,
    ) -> Result<bool, GitError> {
        let call = shadow.call("diff-index").args([
            "--cached",
            "--quiet",
            "--ignore-submodules=none",
            "HEAD",
            "--",
        ]);
        Ok(self
            .repository()
            .git()
            .run(&call.args(paths.unwrap_or_default()))?
            .is_success())
    }

    pub(crate) fn as_people(
        &self,
        call: Call,
        request: &CommitRequest,
    ) -> Result<Call, CommitError> {
        let user = self.repository().configuration().identity();
        let author = request
            .author
            .as_ref()
            .or(user)
            .ok_or(CommitError::IdentityUnknown)?;
        let committer = request.committer.as_ref().or(user).unwrap_or(author);
        let call = call
            .env("GIT_AUTHOR_NAME", &author.name)
            .env("GIT_AUTHOR_EMAIL", &author.email)
            .env("GIT_COMMITTER_NAME", &committer.name)
            .env("GIT_COMMITTER_EMAIL", &committer.email);
        Ok(match request.at {
            Some(at) => {
                let date = format!("@{} +0000", at.as_second());
                call.env("GIT_AUTHOR_DATE", &date)
                    .env("GIT_COMMITTER_DATE", &date)
            }
            None => call,
        })
    }
}

impl Repository {
    /// Makes sure that git knows whom a commit is by.
    ///
    /// # Errors
    /// If it does not.
    pub fn require_identity(&self) -> Result<&Identity, CommitError> {
        let identity = self.configuration().identity();
        identity.ok_or(CommitError::IdentityUnknown)
    }
}

impl CommitRequest {
    /// A request for everything, as the user of the repository.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }

    pub(crate) fn subject(&self) -> String {
        self.message
            .trim_start()
            .lines()
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    }

    /// git refuses an empty message and NULs; a line end belongs at the end.
    pub(crate) fn message_bytes(&self) -> Vec<u8> {
        let text = self.message.trim().replace('\0', "");
        let text = if text.is_empty() {
            "(no message)"
        } else {
            &text
        };
        format!("{text}\n").into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_always_have_text_and_a_line_end() {
        assert_eq!(
            CommitRequest::new(" a\n\nb\0c \n").message_bytes(),
            b"a\n\nbc\n"
        );
        assert_eq!(CommitRequest::new(" ").message_bytes(), b"(no message)\n");
        assert_eq!(CommitRequest::new("\n one\ntwo").subject(), "one");
    }
}
