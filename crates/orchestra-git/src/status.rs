//! What differs between a worktree, its index and its commit.

#[cfg(target_os = "linux")]
mod remembered;
#[cfg(target_os = "linux")]
mod unchanged;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use crate::byte_path::{from_bytes, to_bytes};
use crate::error::GitError;
use crate::head::Head;
use crate::repository::Repository;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

/// The state of a worktree at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// What is checked out.
    pub head: Head,
    /// In the index and not in the commit.
    pub staged: Vec<StatusChange>,
    /// In a file and not in the index.
    pub unstaged: Vec<StatusChange>,
    /// Files git does not know. A path that ends in `/` is a repository inside this one.
    pub untracked: Vec<PathBuf>,
    /// Files with an unresolved conflict.
    pub conflicted: Vec<PathBuf>,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    /// Where it is, below the worktree.
    pub path: PathBuf,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Where it was before, if it was renamed or copied.
    pub original: Option<PathBuf>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content or mode is different.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another name.
    Renamed,
    /// It was made from another file.
    Copied,
    /// A file became a link, or the like.
    TypeChanged,
}

impl ChangeKind {
    /// The letter git shows for it.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Added => 'A',
            Self::Modified => 'M',
            Self::Deleted => 'D',
            Self::Renamed => 'R',
            Self::Copied => 'C',
            Self::TypeChanged => 'T',
        }
    }
}

impl Status {
    /// Whether anything is not committed.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.change_count() > 0
    }

    /// Every path that has something uncommitted, once and in order. A repository inside the worktree is one too.
    #[must_use]
    pub fn uncommitted(&self) -> Vec<PathBuf> {
        let changes = self.staged.iter().chain(&self.unstaged);
        let mut paths: Vec<_> = changes.map(|change| change.path.clone()).collect();
        paths.extend(self.untracked.iter().chain(&self.conflicted).cloned());
        paths.sort();
        paths.dedup();
        paths
    }

    /// Every path that git tracks and that has something uncommitted, once and in order.
    #[must_use]
    pub fn tracked(&self) -> Vec<PathBuf> {
        let changes = self.staged.iter().chain(&self.unstaged);
        let paths = changes.map(|change| &change.path).chain(&self.conflicted);
        let paths: BTreeSet<_> = paths.cloned().collect();
        paths.into_iter().collect()
    }

    /// Repositories inside the worktree that git does not know.
    #[must_use]
    pub fn nested(&self) -> Vec<PathBuf> {
        let is_nested = |path: &&PathBuf| to_bytes(path).ends_with(b"/");
        self.untracked.iter().filter(is_nested).cloned().collect()
    }

    /// How many entries there are. A file that is changed both in the index and on disk counts twice.
    #[must_use]
    pub fn change_count(&self) -> usize {
        self.staged.len() + self.unstaged.len() + self.untracked.len() + self.conflicted.len()
    }

    /// Every file that is different somewhere, in the index or on disk, also where a renamed one was before. A repository
    /// inside the worktree is not one.
    #[must_use]
    pub fn paths(&self) -> BTreeSet<PathBuf> {
        let changes = self.staged.iter().chain(&self.unstaged);
        let changed = changes.flat_map(|change| [Some(&change.path), change.original.as_ref()]);
        let others = self.untracked.iter().chain(&self.conflicted);
        changed
            .flatten()
            .chain(others)
            .filter(|path| !to_bytes(path).ends_with(b"/"))
            .cloned()
            .collect()
    }
}

impl Worktree {
    /// Compares commit, index and files. Runs nothing of the repository's own.
    ///
    /// # Errors
    /// If the worktree is gone or git fails.
    pub fn status(&self) -> Result<Status, GitError> {
        let head = self.head()?;
        let Some(commit) = head.commit() else {
            return Err(GitError::NoSuchRevision("HEAD".to_owned()));
        };
        let shadow = Shadow::of_worktree(self, commit)?;
        let records = self.status_records(&shadow)?;
        Ok(records.with_head(head))
    }

    /// Whether there is anything [`Self::status`] would list. Where nothing changed, or nothing since git was asked last,
    /// that is found out without git.
    ///
    /// # Errors
    /// If the worktree is gone or git fails.
    pub fn is_dirty(&self) -> Result<bool, GitError> {
        let head = self.head()?;
        let Some(commit) = head.commit() else {
            return Err(GitError::NoSuchRevision("HEAD".to_owned()));
        };
        self.is_changed_from(commit)
    }

    #[cfg(target_os = "linux")]
    fn is_changed_from(&self, commit: &CommitId) -> Result<bool, GitError> {
        let unknown = match unchanged::unknown_paths(self, commit) {
            Ok(unknown) if unknown.is_empty() => return Ok(false),
            Ok(unknown) => Some(unknown),
            Err(reason) => {
                tracing::trace!(%reason, "git is asked whether a worktree changed");
                None
            }
        };
        remembered::answer(self, commit, || match unknown {
            Some(unknown) if self.ignored_among(commit, &unknown)?.len() == unknown.len() => {
                Ok(false)
            }
            _ => Ok(self.status()?.is_dirty()),
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn is_changed_from(&self, _commit: &CommitId) -> Result<bool, GitError> {
        Ok(self.status()?.is_dirty())
    }

    pub(crate) fn status_records(&self, shadow: &Shadow) -> Result<Records, GitError> {
        self.records(shadow, "all", &[])
    }

    /// The same of the given paths, or of all if none is given, without files that git does not track.
    pub(crate) fn tracked_records(
        &self,
        shadow: &Shadow,
        paths: &[PathBuf],
    ) -> Result<Records, GitError> {
        self.records(shadow, "no", paths)
    }

    /// The same of the given paths.
    #[cfg(target_os = "linux")]
    pub(crate) fn records_of(
        &self,
        shadow: &Shadow,
        paths: &[PathBuf],
    ) -> Result<Records, GitError> {
        self.records(shadow, "all", paths)
    }

    fn records(
        &self,
        shadow: &Shadow,
        untracked: &str,
        paths: &[PathBuf],
    ) -> Result<Records, GitError> {
        let call = shadow.call("status").args([
            "--porcelain=v2",
            "-z",
            &format!("--untracked-files={untracked}"),
            "--ignore-submodules=dirty",
            "--find-renames",
            "--",
        ]);
        let call = call.args(paths);
        let answer = self.repository().git().run(&call)?.require_success()?;
        Records::parse(&answer.stdout)
            .ok_or_else(|| call.unreadable("a record is cut or of an unknown kind"))
    }
}

/// The records of `git status --porcelain=v2 -z`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Records {
    pub(crate) staged: Vec<StatusChange>,
    pub(crate) unstaged: Vec<StatusChange>,
    pub(crate) untracked: Vec<PathBuf>,
    pub(crate) conflicted: Vec<PathBuf>,
}

impl Records {
    pub(crate) fn with_head(self, head: Head) -> Status {
        let Self {
            staged,
            unstaged,
            untracked,
            conflicted,
        } = self;
        Status {
            head,
            staged,
            unstaged,
            untracked,
            conflicted,
        }
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut records = Self::default();
        let mut tokens = bytes.split(|byte| *byte == 0);
        while let Some(token) = tokens.next().filter(|token| !token.is_empty()) {
            match token[0] {
                b'1' => records.push_changed(token, 8, None)?,
                b'2' => records.push_changed(token, 9, Some(from_bytes(tokens.next()?)))?,
                b'u' => records
                    .conflicted
                    .push(from_bytes(token.splitn(11, is_space).nth(10)?)),
                b'?' => records
                    .untracked
                    .push(from_bytes(token.strip_prefix(b"? ")?)),
                b'!' | b'#' => {}
                _ => return None,
            }
        }
        Some(records)
    }

    /// `1 XY sub mH mI mW hH hI path`, for renames with a score before the path.
    fn push_changed(
        &mut self,
        token: &[u8],
        fields: usize,
        original: Option<PathBuf>,
    ) -> Option<()> {
        let mut parts = token.splitn(fields + 1, is_space);
        let codes = parts.nth(1)?;
        let path = from_bytes(parts.nth(fields - 2)?);
        if let Some(kind) = kind_of(*codes.first()?) {
            self.staged.push(StatusChange {
                path: path.clone(),
                kind,
                original: original.clone(),
            });
        }
        if let Some(kind) = kind_of(*codes.get(1)?) {
            self.unstaged.push(StatusChange {
                path,
                kind,
                original,
            });
        }
        Some(())
    }
}

fn is_space(byte: &u8) -> bool {
    *byte == b' '
}

/// The letter git uses in status and diff records.
pub(crate) fn kind_of(letter: u8) -> Option<ChangeKind> {
    match letter {
        b'A' => Some(ChangeKind::Added),
        b'M' => Some(ChangeKind::Modified),
        b'D' => Some(ChangeKind::Deleted),
        b'R' => Some(ChangeKind::Renamed),
        b'C' => Some(ChangeKind::Copied),
        b'T' => Some(ChangeKind::TypeChanged),
        _ => None,
    }
}

impl Repository {
    /// Whether an index certainly holds the files of a commit and nothing else.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_index_of(&self, index: &Path, commit: &CommitId) -> bool {
        crate::index_state::require_index_of(self, index, commit).is_ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn is_index_of(&self, _index: &Path, _commit: &CommitId) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASHES: &str = "100644 100644 100644 1111111111111111111111111111111111111111 2222222222222222222222222222222222222222";

    fn change(path: &str, kind: ChangeKind, original: Option<&str>) -> StatusChange {
        StatusChange {
            path: path.into(),
            kind,
            original: original.map(PathBuf::from),
        }
    }

    #[test]
    fn all_kinds_of_records_are_read() {
        let text = format!(
            "# branch.oid x\01 M. N... {HASHES} a b\01 .D N... {HASHES} gone\01 AM N... {HASHES} new\n\02 R. N... {HASHES} R100 to\0from x\0u UU N... 1 2 3 4 h1 h2 h3 c d\0? -odd\0? nested/\0! skipped\0"
        );
        let records = Records::parse(text.as_bytes()).unwrap();
        let staged = [
            change("a b", ChangeKind::Modified, None),
            change("new\n", ChangeKind::Added, None),
            change("to", ChangeKind::Renamed, Some("from x")),
        ];
        assert_eq!(records.staged, staged);
        assert_eq!(
            records.unstaged,
            [
                change("gone", ChangeKind::Deleted, None),
                change("new\n", ChangeKind::Modified, None)
            ]
        );
        assert_eq!(
            records.untracked,
            [PathBuf::from("-odd"), PathBuf::from("nested/")]
        );
        assert_eq!(records.conflicted, [PathBuf::from("c d")]);
    }

    #[test]
    fn broken_records_are_refused() {
        for text in [
            "1 M.",
            "x y",
            "u UU N...",
            "2 R. N... 1 2 3 4 5 R100 to",
            "?x",
        ] {
            assert_eq!(Records::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Records::parse(b""), Some(Records::default()));
    }
}
