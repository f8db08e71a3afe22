//! What is on disk at paths that were being changed: one version, the other one, a part of one, or something of the user's.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use super::touched::Touched;
use crate::byte_path::from_bytes;
use crate::error::{AtPath, GitError};
use crate::files::Place;
use crate::index_entry::Entry;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

/// What is on disk at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnDisk {
    Before,
    After,
    /// Nothing, though both versions have a file.
    Missing,
    /// The beginning of a version: git was killed while it wrote the file.
    Cut,
    /// Somebody's own work.
    Other,
}

impl Worktree {
    /// Tells the versions apart as git does, with the filters of the user.
    pub(super) fn on_disk(
        &self,
        shadow: &Shadow,
        head: &CommitId,
        touched: &[Touched],
    ) -> Result<Vec<OnDisk>, GitError> {
        let unlike_before = self.unlike(head, touched, |one| one.before.as_ref())?;
        let unlike_after = self.unlike(head, touched, |one| one.after.as_ref())?;
        let found = touched.iter().map(|one| {
            let is_free = Place::new(self.path(), &one.path).is_free()?;
            let is_like = |entry: &Option<Entry>, unlike: &BTreeSet<PathBuf>| match entry {
                Some(_) => !is_free && !unlike.contains(&one.path),
                None => is_free,
            };
            Ok(if is_like(&one.after, &unlike_after) {
                OnDisk::After
            } else if is_like(&one.before, &unlike_before) {
                OnDisk::Before
            } else if is_free {
                OnDisk::Missing
            } else if self.is_cut(shadow, one)? {
                OnDisk::Cut
            } else {
                OnDisk::Other
            })
        });
        found.collect()
    }

    /// Paths whose file is not as an index with these entries alone says.
    fn unlike(
        &self,
        head: &CommitId,
        touched: &[Touched],
        entry: impl Fn(&Touched) -> Option<&Entry>,
    ) -> Result<BTreeSet<PathBuf>, GitError> {
        let shadow = Shadow::of_worktree(self, head)?.with_empty_index();
        let entries = touched.iter().map(|one| (&one.path, entry(one)));
        self.put_index_entries(&shadow, entries)?;
        let git = self.repository().git();
        // Its exit code says that something differs, which is what is asked next.
        git.run(&shadow.call("update-index").args(["-q", "--refresh"]))?;
        let compare =
            shadow
                .call("diff-files")
                .args(["--name-only", "-z", "--ignore-submodules=all"]);
        let answer = git.run(&compare)?.require_success()?;
        let names = answer.stdout.split(|byte| *byte == 0);
        Ok(names
            .filter(|name| !name.is_empty())
            .map(from_bytes)
            .collect())
    }

    fn is_cut(&self, shadow: &Shadow, one: &Touched) -> Result<bool, GitError> {
        let full = self.path().join(&one.path);
        if full.is_symlink() || one.has_link() {
            return Ok(false);
        }
        let content = fs::read(&full).at(&full)?;
        for entry in [&one.before, &one.after].into_iter().flatten() {
            if self
                .content(shadow, &one.path, entry)?
                .starts_with(&content)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What git would write into a file.
    fn content(&self, shadow: &Shadow, path: &Path, entry: &Entry) -> Result<Vec<u8>, GitError> {
        let mut option = std::ffi::OsString::from("--path=");
        option.push(path);
        let call = shadow.call("cat-file").arg("--filters").arg(option);
        let call = call.arg(&entry.object);
        Ok(self
            .repository()
            .git()
            .run(&call)?
            .require_success()?
            .stdout)
    }
}
