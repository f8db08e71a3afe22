//! Finishes or takes back a change of files that was cut off at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use orchestra_core::CommitId;

use super::SwitchError;
use super::disk::OnDisk;
use super::touched::{Entry, Touched, index_records};
use crate::byte_path::from_bytes;
use crate::error::GitError;
use crate::shadow::Shadow;
use crate::snapshot::files::Place;
use crate::worktree::Worktree;

/// What the index has at a path, and whether its file is meant to be absent.
type Indexed = BTreeMap<PathBuf, (Entry, bool)>;

impl Worktree {
    /// Brings everything that differs between two commits to `target`, wherever each file stands. Files that are as in neither
    /// of them stay. Doing it twice, or after it was cut off, is harmless.
    pub(crate) fn settle_files(
        &self,
        other: &CommitId,
        target: &CommitId,
    ) -> Result<(), SwitchError> {
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
                    && indexed.get(*path).map(|(entry, _)| entry) == standing.as_ref()
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
        indexed: &Indexed,
    ) -> Result<(), GitError> {
        let git = self.repository().git();
        let is_other = |(path, entry): &&(&PathBuf, Option<Entry>)| {
            indexed.get(*path).map(|(entry, _)| entry) != entry.as_ref()
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

    fn indexed(&self, shadow: &Shadow) -> Result<Indexed, GitError> {
        let call = shadow.call("ls-files").args(["-t", "--stage", "-z"]);
        let answer = self.repository().git().run(&call)?.require_success()?;
        parse_indexed(&answer.stdout).ok_or_else(|| call.unreadable("a record is cut"))
    }
}

/// What git shall think is there: nothing where a file is to be written anew, the target where somebody's own file stays.
/// Submodules, and files that a sparse checkout leaves out, are as the index says.
fn standing(one: &Touched, found: OnDisk, indexed: Option<&(Entry, bool)>) -> Option<Entry> {
    let is_left_out = indexed.is_some_and(|(_, is_left_out)| *is_left_out);
    if one.has_link() || is_left_out {
        return indexed.map(|(entry, _)| entry.clone());
    }
    match found {
        OnDisk::Before => one.before.clone(),
        OnDisk::After | OnDisk::Other => one.after.clone(),
        OnDisk::Missing | OnDisk::Cut => None,
    }
}

/// Reads `tag mode object stage TAB path NUL`. The stages of a conflict are one entry that is like no other.
fn parse_indexed(bytes: &[u8]) -> Option<Indexed> {
    let mut indexed = Indexed::new();
    let records = bytes.split(|byte| *byte == 0);
    for record in records.filter(|record| !record.is_empty()) {
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let text = std::str::from_utf8(&record[..tab]).ok()?;
        let mut fields = text.split(' ');
        let (tag, mode) = (fields.next()?, fields.next()?.to_owned());
        let (object, stage) = (fields.next()?, fields.next()?);
        let object = match stage {
            "0" => object.to_owned(),
            _ => String::new(),
        };
        let path = from_bytes(&record[tab + 1..]);
        indexed.insert(path, (Entry { mode, object }, tag == "S"));
    }
    Some(indexed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_read() {
        let bytes = b"H 100644 aa 0\ta b\0S 100755 bb 0\tc\0M 100644 cc 2\td\0";
        let indexed = parse_indexed(bytes).unwrap();
        assert_eq!(indexed[&PathBuf::from("a b")].0.object, "aa");
        assert!(indexed[&PathBuf::from("c")].1);
        assert_eq!(indexed[&PathBuf::from("d")].0.object, "");
        for cut in [&b"H 100644 aa 0"[..], b"H 100644 aa\ta\0", b"\xff\ta\0"] {
            assert_eq!(parse_indexed(cut), None);
        }
    }
}
