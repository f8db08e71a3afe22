//! Finishes or takes back a change of files that was cut off at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use orchestra_core::CommitId;

use super::SwitchError;
use super::disk::OnDisk;
use super::touched::Touched;
use crate::call::Call;
use crate::error::GitError;
use crate::files::Place;
use crate::index_entry::{Entry, Indexed, index_records};
use crate::shadow::Shadow;
use crate::worktree::Worktree;

/// What the index has at each path. The stages of a conflict are one entry that is like no other.
type Index = BTreeMap<PathBuf, Indexed>;

impl Worktree {
    /// Brings everything that differs between two commits to `target`, wherever each file stands. Files that are as in neither
    /// of them stay. Doing it twice, or after it was cut off, is harmless.
    pub(crate) fn settle_files(
        &self,
        other: &CommitId,
        target: &CommitId,
    ) -> Result<(), SwitchError> {
        #[cfg(target_os = "linux")]
        super::direct::clear_room(self);
        let touched = self.repository().touched(other.as_str(), target.as_str())?;
        if touched.is_empty() {
            return Ok(());
        }
        let shadow = Shadow::of_worktree(self, target)?;
        let indexed = self.indexed(&shadow)?;
        let found = self.on_disk(&shadow, target, &touched)?;
        let standing: Vec<_> = touched
            .iter()
            .zip(&found)
            .map(|(one, found)| (&one.path, standing(one, *found, indexed.get(&one.path))))
            .collect();
        let is_settled = touched
            .iter()
            .zip(&standing)
            .all(|(one, (path, standing))| {
                *standing == one.after
                    && indexed.get(*path).map(|found| &found.entry) == standing.as_ref()
            });
        if is_settled {
            return Ok(());
        }
        self.remove_cut(&touched, &found)?;
        self.put_into_index(&shadow, &standing, &indexed)?;
        let tree = self.tree_of(target, &standing)?;
        Ok(self.merge_trees(&shadow, [&tree, target.as_str()])?)
    }

    fn remove_cut(&self, touched: &[Touched], found: &[OnDisk]) -> Result<(), GitError> {
        let all = touched.iter().zip(found);
        for (one, _) in all.filter(|(_, found)| **found == OnDisk::Cut) {
            Place::new(self.path(), &one.path).remove()?;
        }
        Ok(())
    }

    /// The index says what is on disk, so that git finds files as it expects them.
    fn put_into_index(
        &self,
        shadow: &Shadow,
        standing: &[(&PathBuf, Option<Entry>)],
        indexed: &Index,
    ) -> Result<(), GitError> {
        let git = self.repository().git();
        let is_other = |(path, entry): &&(&PathBuf, Option<Entry>)| {
            indexed.get(*path).map(|found| &found.entry) != entry.as_ref()
        };
        let other = standing.iter().filter(is_other);
        self.put_index_entries(shadow, other.map(|(path, entry)| (*path, entry.as_ref())))?;
        // Its exit code says whether files differ from the index, which is their right.
        git.run(&shadow.call("update-index").args(["-q", "--refresh"]))?;
        Ok(())
    }

    /// A tree that differs from `target` only where files have to be written.
    fn tree_of(
        &self,
        target: &CommitId,
        standing: &[(&PathBuf, Option<Entry>)],
    ) -> Result<String, GitError> {
        let git = self.repository().git();
        let shadow = Shadow::of_worktree(self, target)?.with_empty_index();
        git.line(&shadow.call("read-tree").arg(target.as_str()))?;
        let entries = standing.iter().map(|(path, entry)| (*path, entry.as_ref()));
        self.put_index_entries(&shadow, entries)?;
        git.line(&shadow.call("write-tree"))
    }

    pub(crate) fn put_index_entries<'a>(
        &self,
        shadow: &Shadow,
        entries: impl IntoIterator<Item = (&'a PathBuf, Option<&'a Entry>)>,
    ) -> Result<(), GitError> {
        let records = index_records(self.repository().object_format(), entries);
        let call = shadow.call("update-index").args(["-z", "--index-info"]);
        let answer = self.repository().git().run(&call.stdin(records))?;
        answer.require_success().map(drop)
    }

    /// Every path that git tracks there.
    pub(crate) fn indexed_paths(&self, shadow: &Shadow) -> Result<BTreeSet<PathBuf>, GitError> {
        Ok(self.indexed(shadow)?.into_keys().collect())
    }

    fn indexed(&self, shadow: &Shadow) -> Result<Index, GitError> {
        let call = shadow.call("ls-files").args(["-t", "--stage", "-z"]);
        let entries = self.indexed_by(&call)?.into_iter().map(|mut found| {
            if found.stage != 0 {
                found.entry.object.clear();
            }
            (found.path.clone(), found)
        });
        Ok(entries.collect())
    }

    /// What a command prints of an index.
    pub(crate) fn indexed_by(&self, call: &Call) -> Result<Vec<Indexed>, GitError> {
        let answer = self.repository().git().run(call)?.require_success()?;
        Indexed::parse_all(&answer.stdout).ok_or_else(|| call.unreadable("a record is cut"))
    }
}

/// What git shall think is there: nothing where a file is to be written anew, the target where somebody's own file stays.
/// Submodules, and files that a sparse checkout leaves out, are as the index says.
fn standing(one: &Touched, found: OnDisk, indexed: Option<&Indexed>) -> Option<Entry> {
    if one.has_link() || indexed.is_some_and(|indexed| indexed.is_left_out) {
        return indexed.map(|indexed| indexed.entry.clone());
    }
    match found {
        OnDisk::Before => one.before.clone(),
        OnDisk::After | OnDisk::Other => one.after.clone(),
        OnDisk::Missing | OnDisk::Cut => None,
    }
}
