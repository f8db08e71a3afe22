//! What an index or a commit says about each path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use crate::byte_path::to_bytes;
use crate::call::Call;
use crate::error::GitError;
use crate::index_entry::{Entry, Indexed};
use crate::shadow::Shadow;
use crate::worktree::Worktree;

/// What every path has, with its stage. A conflict has several.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Entries(BTreeMap<PathBuf, BTreeSet<(Entry, u8)>>);

impl Entries {
    pub(super) fn has(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    /// Whether it is a link to another repository.
    pub(super) fn is_link(&self, path: &Path) -> bool {
        let entries = self.0.get(path);
        entries.is_some_and(|entries| entries.iter().any(|(entry, _)| entry.is_link()))
    }

    /// Whether one of the entries of a path has this object.
    pub(super) fn has_object(&self, path: &Path, object: &str) -> bool {
        let entries = self.0.get(path);
        entries.is_some_and(|entries| entries.iter().any(|(entry, _)| entry.object == object))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (path, entries) in &self.0 {
            bytes.extend(to_bytes(path));
            for (Entry { mode, object }, stage) in entries {
                bytes.push(0);
                bytes.extend(format!("{mode} {object} {stage}").into_bytes());
            }
            bytes.push(0);
        }
        bytes
    }

    /// Paths that are as none of the others says.
    pub(super) fn unlike(&self, others: &[&Self]) -> Vec<PathBuf> {
        let all = others.iter().chain([&self]);
        let paths: BTreeSet<_> = all.flat_map(|entries| entries.0.keys()).collect();
        let unlike = paths.into_iter().filter(|path| {
            let found = self.0.get(*path);
            others.iter().all(|other| other.0.get(*path) != found)
        });
        unlike.cloned().collect()
    }
}

impl Worktree {
    /// What is staged now.
    pub(super) fn index_entries(&self, head: &CommitId) -> Result<Entries, GitError> {
        self.entries_of(&Shadow::of_worktree(self, head)?)
    }

    /// What an index in a folder of its own says.
    pub(super) fn index_entries_in(
        &self,
        folder: &Path,
        head: &CommitId,
    ) -> Result<Entries, GitError> {
        self.entries_of(&Shadow::of_worktree(self, head)?.with_index_in(folder)?)
    }

    pub(super) fn committed_entries(&self, head: &CommitId) -> Result<Entries, GitError> {
        let objects = self.repository().objects()?;
        let call = objects.call("ls-tree");
        let call = call.args(["-r", "-z", "--full-tree", head.as_str()]);
        self.read_entries(&call)
    }

    fn entries_of(&self, shadow: &Shadow) -> Result<Entries, GitError> {
        let call = shadow.call("ls-files").args(["--stage", "-z"]);
        self.read_entries(&call)
    }

    fn read_entries(&self, call: &Call) -> Result<Entries, GitError> {
        let mut entries = Entries::default();
        for Indexed {
            path, entry, stage, ..
        } in self.indexed_by(call)?
        {
            entries.0.entry(path).or_default().insert((entry, stage));
        }
        Ok(entries)
    }
}
