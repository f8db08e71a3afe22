//! What changed in a session: since a moment until now, or between two commits. The latter needs no worktree.

use std::path::Path;
use std::str::FromStr;

use orchestra_core::{CommitId, IterationNumber, Session, SessionId, visible_line};
use orchestra_git::{
    DiffFile, DiffFormat, DiffRequest, DiffScope, FileChange, FilePatch, Repository,
};

use crate::files::require_path;
use crate::{Engine, EngineError};

/// What a diff shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DiffWhat {
    /// Everything since the base, uncommitted changes too.
    #[default]
    SinceBase,
    /// What is staged.
    Staged,
    /// What is not staged.
    Unstaged,
    /// Everything since before an iteration.
    SinceIteration(IterationNumber),
    /// From one commit to another.
    Between(DiffPoint, DiffPoint),
}

/// A commit, by what it is to the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffPoint {
    /// Where the session began.
    Base,
    /// What its branch has now.
    Head,
    /// What an iteration left.
    Iteration(IterationNumber),
    /// A commit of the repository.
    Commit(CommitId),
}

impl FromStr for DiffPoint {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let point = match text.strip_prefix("iteration:") {
            Some(number) => {
                let number = number.parse().ok();
                number.map(|number| Self::Iteration(IterationNumber(number)))
            }
            None if text == "base" => Some(Self::Base),
            None if text == "head" => Some(Self::Head),
            None => text.parse().ok().map(Self::Commit),
        };
        point.ok_or_else(|| EngineError::Invalid {
            problem: format!("`{}` is no commit of a session", visible_line(text)),
            way_out: Some(
                "name `base`, `head`, `iteration:2` or all digits of a commit".to_owned(),
            ),
        })
    }
}

/// Which file of a diff is meant, as texts show it.
#[derive(Debug, Clone, Copy)]
pub struct DiffFileName<'a> {
    /// Where it is, below the worktree.
    pub path: &'a str,
    /// Where it was before, if it was renamed or copied.
    pub original: Option<&'a str>,
}

impl Engine {
    /// Streams a diff as text.
    ///
    /// # Errors
    /// If the worktree is missing or git fails.
    pub fn diff(
        &self,
        id: &SessionId,
        what: &DiffWhat,
        format: DiffFormat,
        color: bool,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<(), EngineError> {
        let session = self.session(id)?.session;
        let scope = self.diff_scope(&session, what)?;
        let request = DiffRequest {
            scope,
            format,
            color,
            paths: Vec::new(),
        };
        Ok(self.worktree_of(&session)?.diff(&request, sink)?)
    }

    /// What changed, file by file.
    ///
    /// # Errors
    /// If a commit or the worktree is missing, or git fails.
    pub fn diff_summary(
        &self,
        id: &SessionId,
        what: &DiffWhat,
    ) -> Result<Vec<FileChange>, EngineError> {
        let session = self.session(id)?.session;
        Ok(match self.diff_scope(&session, what)? {
            DiffScope::Between(from, to) => {
                self.repository_of(&session)?.changes_between(&from, &to)?
            }
            scope => self.worktree_of(&session)?.diff_summary(&scope)?,
        })
    }

    /// What changed, file by file, with the patches.
    ///
    /// # Errors
    /// If the worktree is missing or git fails.
    pub fn diff_patches(
        &self,
        id: &SessionId,
        what: &DiffWhat,
    ) -> Result<Vec<FilePatch>, EngineError> {
        let session = self.session(id)?.session;
        let scope = self.diff_scope(&session, what)?;
        Ok(self.worktree_of(&session)?.diff_patches(&scope)?)
    }

    /// What changed in one file, with its patch; `None` if nothing did.
    ///
    /// # Errors
    /// If the path leads elsewhere, a commit or the worktree is missing, or git fails.
    pub fn diff_file(
        &self,
        id: &SessionId,
        what: &DiffWhat,
        name: DiffFileName<'_>,
    ) -> Result<Option<FilePatch>, EngineError> {
        let Some(file) = self.meant_file(id, what, name)? else {
            return Ok(None);
        };
        let session = self.session(id)?.session;
        Ok(match self.diff_scope(&session, what)? {
            DiffScope::Between(from, to) => self
                .repository_of(&session)?
                .file_between(&from, &to, &file)?,
            scope => self.worktree_of(&session)?.diff_file(&scope, &file)?,
        })
    }

    /// A name that is no text is shown with signs in the place of its bytes, and is found by what is shown.
    fn meant_file(
        &self,
        id: &SessionId,
        what: &DiffWhat,
        name: DiffFileName<'_>,
    ) -> Result<Option<DiffFile>, EngineError> {
        let path = require_path(name.path)?;
        let original = name.original.map(require_path).transpose()?;
        let is_replaced = |text: &str| text.contains(char::REPLACEMENT_CHARACTER);
        if !is_replaced(name.path) && !name.original.is_some_and(is_replaced) {
            return Ok(Some(DiffFile { path, original }));
        }
        let is_shown = |path: &Path| path.to_string_lossy() == name.path;
        let changes = self.diff_summary(id, what)?;
        let found = changes.into_iter().find(|change| is_shown(&change.path));
        Ok(found.map(|change| DiffFile {
            path: change.path,
            original: change.original,
        }))
    }

    fn diff_scope(&self, session: &Session, what: &DiffWhat) -> Result<DiffScope, EngineError> {
        Ok(match what {
            DiffWhat::Staged => DiffScope::Staged,
            DiffWhat::Unstaged => DiffScope::Unstaged,
            DiffWhat::SinceBase => DiffScope::Since(session.base_commit.clone()),
            DiffWhat::SinceIteration(number) => {
                let head = self.iteration(&session.id, *number)?.head_before;
                DiffScope::Since(head.unwrap_or_else(|| session.base_commit.clone()))
            }
            DiffWhat::Between(from, to) => {
                let repository = self.repository_of(session)?;
                DiffScope::Between(
                    self.commit_at(session, &repository, from)?,
                    self.commit_at(session, &repository, to)?,
                )
            }
        })
    }

    /// The commit that is meant, which the repository has.
    fn commit_at(
        &self,
        session: &Session,
        repository: &Repository,
        point: &DiffPoint,
    ) -> Result<CommitId, EngineError> {
        let commit = match point {
            DiffPoint::Base => session.base_commit.clone(),
            DiffPoint::Head => repository.require_branch(&session.branch)?,
            DiffPoint::Commit(commit) => commit.clone(),
            DiffPoint::Iteration(number) => {
                let left = self.iteration(&session.id, *number)?.head_after;
                left.ok_or_else(|| EngineError::Invalid {
                    problem: format!("iteration {number} has not left a commit"),
                    way_out: Some("wait until it is over, or name another one".to_owned()),
                })?
            }
        };
        match repository.commit_exists(&commit)? {
            true => Ok(commit),
            false => Err(EngineError::Invalid {
                problem: format!("the repository has no commit {commit}"),
                way_out: Some(format!(
                    "`orchestra session log {}` lists those of the session",
                    session.id
                )),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_have_names() {
        let commit = "c".repeat(40);
        for (text, point) in [
            ("base", DiffPoint::Base),
            ("head", DiffPoint::Head),
            ("iteration:2", DiffPoint::Iteration(IterationNumber(2))),
            (commit.as_str(), DiffPoint::Commit(commit.parse().unwrap())),
        ] {
            assert_eq!(text.parse::<DiffPoint>().unwrap(), point);
        }
        for text in ["", "iteration:", "iteration:x", "--output=x", "main", "ccc"] {
            assert_eq!(
                text.parse::<DiffPoint>().unwrap_err().code(),
                "input.invalid"
            );
        }
    }
}
