//! What an index or a commit says about each path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use orchestra_core::CommitId;

use crate::byte_path::{from_bytes, to_bytes};
use crate::call::Call;
use crate::error::GitError;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

const GITLINK: &[u8] = b"160000 ";

/// Mode, object and stage of every path. A conflict has several.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Entries(BTreeMap<PathBuf, BTreeSet<Vec<u8>>>);

impl Entries {
    pub(super) fn has(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    /// Whether it is a link to another repository.
    pub(super) fn is_link(&self, path: &Path) -> bool {
        let entries = self.0.get(path);
        entries.is_some_and(|entries| entries.iter().any(|entry| entry.starts_with(GITLINK)))
    }

    /// Whether one of the entries of a path has this object.
    pub(super) fn has_object(&self, path: &Path, object: &str) -> bool {
        let is_it = |entry: &Vec<u8>| {
            let mut fields = entry.split(|byte| *byte == b' ');
            fields.nth(1) == Some(object.as_bytes())
        };
        let entries = self.0.get(path);
        entries.is_some_and(|entries| entries.iter().any(is_it))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (path, entries) in &self.0 {
            bytes.extend(to_bytes(path));
            for entry in entries {
                bytes.push(0);
                bytes.extend(entry);
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

    /// Reads records that end with a tab and a path; `describe` puts what is before the tab into the form of the index.
    fn parse(bytes: &[u8], describe: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Option<Self> {
        let mut entries = Self::default();
        let records = bytes.split(|byte| *byte == 0);
        for record in records.filter(|record| !record.is_empty()) {
            let tab = record.iter().position(|byte| *byte == b'\t')?;
            let path = from_bytes(&record[tab + 1..]);
            let found = entries.0.entry(path).or_default();
            found.insert(describe(&record[..tab])?);
        }
        Some(entries)
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
        self.read_entries(&call, |before| {
            let mut fields = before.split(|byte| *byte == b' ');
            let (mode, _kind, object) = (fields.next()?, fields.next()?, fields.next()?);
            Some([mode, b" ", object, b" 0"].concat())
        })
    }

    fn entries_of(&self, shadow: &Shadow) -> Result<Entries, GitError> {
        let call = shadow.call("ls-files").args(["--stage", "-z"]);
        self.read_entries(&call, |before| Some(before.to_owned()))
    }

    fn read_entries(
        &self,
        call: &Call,
        describe: impl Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<Entries, GitError> {
        let answer = self.repository().git().run(call)?.require_success()?;
        Entries::parse(&answer.stdout, describe).ok_or_else(|| call.unreadable("a record is cut"))
    }
}
