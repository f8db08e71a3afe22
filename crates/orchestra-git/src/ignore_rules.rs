//! What git would ignore, asked by name: files and directories need not be there.

use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use crate::byte_path::{from_bytes, to_bytes};
use crate::error::GitError;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

impl Worktree {
    /// Which of these directories git would ignore, whether or not they are there. Runs nothing of the repository's own.
    ///
    /// # Errors
    /// If the worktree is gone or git fails.
    pub fn would_ignore(&self, directories: &[&Path]) -> Result<Vec<PathBuf>, GitError> {
        let head = self.head()?;
        let Some(commit) = head.commit() else {
            return Err(GitError::NoSuchRevision("HEAD".to_owned()));
        };
        let named: Vec<_> = directories
            .iter()
            .map(|directory| [to_bytes(directory), b"/".to_vec()].concat())
            .collect();
        let ignored = self.ignored_among(commit, &named)?;
        let ignored = ignored
            .iter()
            .map(|path| path.strip_suffix(b"/").unwrap_or(path));
        Ok(ignored.map(from_bytes).collect())
    }

    /// Those of the paths that are ignored; one that ends with a slash is a directory. None, if git cannot tell of one of
    /// them, for example because it is behind a link.
    pub(crate) fn ignored_among(
        &self,
        commit: &CommitId,
        paths: &[Vec<u8>],
    ) -> Result<Vec<Vec<u8>>, GitError> {
        let shadow = Shadow::of_worktree(self, commit)?;
        // This command knows no literal paths; with `./` before them, none can be a pattern.
        let lines: Vec<_> = paths
            .iter()
            .map(|path| [b"./", path.as_slice(), b"\0"].concat())
            .collect();
        let call = shadow
            .call("check-ignore")
            .args(["--no-index", "-z", "--stdin"])
            .env("GIT_LITERAL_PATHSPECS", "0")
            .stdin(lines.concat());
        let answer = self.repository().git().run(&call)?;
        if !answer.is_success() {
            return Ok(Vec::new());
        }
        let ignored = answer.stdout.split(|byte| *byte == 0);
        let ignored = ignored.filter_map(|path| path.strip_prefix(b"./"));
        Ok(ignored.map(<[u8]>::to_vec).collect())
    }
}
