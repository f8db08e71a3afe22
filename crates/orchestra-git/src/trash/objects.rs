//! Objects that only a worktree leads to. git looks for them in its own folder for the worktree, so while that is in the trash a
//! pack in the entry keeps them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use orchestra_core::BranchName;

use super::entry::{TrashEntry, is_there};
use super::{BranchFate, TrashRequest};
use crate::error::{AtPath, GitError};
use crate::repository::Repository;

/// More than any list that git keeps for a worktree.
const LARGEST: u64 = 64 * 1024 * 1024;
/// The index is read by git itself; submodules keep objects of their own.
const NOT_SCANNED: &[&str] = &["index", "modules"];

impl Repository {
    /// Puts into the entry what could be lost while git's folder is not where git looks.
    pub(super) fn keep_objects(
        &self,
        entry: &TrashEntry,
        request: &TrashRequest,
    ) -> Result<(), GitError> {
        let admin = entry.places.admin_home.as_deref();
        let mut wanted = admin.map_or_else(|| Ok(BTreeSet::new()), |admin| self.named_in(admin))?;
        wanted.extend(entry.record.commit.as_ref().map(ToString::to_string));
        let branches = [&entry.record.branch, &request.branch];
        // Only the session's branch is known to stay.
        if request.branch_fate == BranchFate::Stays && branches[0] == branches[1] {
            let is_kept = match admin {
                Some(admin) => self.is_kept_by_branch(admin, branches[0], &wanted)?,
                None => true,
            };
            if is_kept {
                return Ok(());
            }
        }
        self.pack(admin, wanted, branches, &entry.places.objects())
    }

    /// Puts into an entry what only a branch leads to that is deleted later.
    pub(super) fn keep_branch(
        &self,
        entry: &TrashEntry,
        branch: &BranchName,
    ) -> Result<(), GitError> {
        let admin = Some(entry.places.admin()).filter(|admin| is_there(admin));
        let admin = admin.as_deref();
        let wanted = admin.map_or_else(|| Ok(BTreeSet::new()), |admin| self.named_in(admin))?;
        let pack = entry.places.branch_objects();
        self.pack(admin, wanted, [&entry.record.branch, branch], &pack)
    }

    /// Gives git back what an entry kept. While the worktree is where it was, git has all of it, and the pack may be one that was
    /// cut off.
    pub(super) fn bring_objects_back(&self, entry: &TrashEntry) -> Result<(), GitError> {
        if entry.is_all_at_home() {
            return Ok(());
        }
        let packs = [entry.places.objects(), entry.places.branch_objects()];
        for pack in packs.iter().filter(|pack| is_there(pack)) {
            self.unpack(pack)?;
        }
        Ok(())
    }

    /// Packs what git's folder and these branches lead to and nothing else does, whole or not at all.
    fn pack(
        &self,
        admin: Option<&Path>,
        mut wanted: BTreeSet<String>,
        branches: [&BranchName; 2],
        to: &Path,
    ) -> Result<(), GitError> {
        for branch in branches {
            wanted.extend(self.find_branch(branch)?.map(|commit| commit.to_string()));
            wanted.extend(self.reflog_of(branch));
        }
        let kept = self.ids_of_others(branches)?;
        let mut revisions = String::new();
        for id in self.existing(wanted.union(&kept))? {
            let sign = if kept.contains(&id) { "^" } else { "" };
            revisions.push_str(&format!("{sign}{id}\n"));
        }
        let mut shadow = crate::shadow::Shadow::of_objects(self)?;
        if let Some(admin) = admin {
            shadow = shadow.with_index_in(admin)?;
        }
        let call = shadow
            .call("pack-objects")
            .args(["--indexed-objects", "--missing=allow-any"]);
        let new = to.with_extension("pack.new");
        self.pack_into(&new, call, revisions)?;
        std::fs::rename(&new, to).at(to)
    }

    /// Everything that looks like an id in git's folder: `HEAD`, its reflog, the references of this worktree alone, what an
    /// operation in progress remembers.
    fn named_in(&self, admin: &Path) -> Result<BTreeSet<String>, GitError> {
        let mut found = BTreeSet::new();
        for file in text_files(admin)? {
            let bytes = std::fs::read(&file).at(&file)?;
            found.extend(ids_in(&bytes, self.object_format().id_len() * 2));
        }
        // References may be in files that are no text.
        let head = self.head_in(admin).ok();
        let head = head.as_ref().and_then(crate::head::Head::commit);
        found.extend(head.map(ToString::to_string));
        Ok(found)
    }

    fn reflog_of(&self, branch: &BranchName) -> BTreeSet<String> {
        let path = self.common_dir().join("logs").join(branch.full_ref());
        // There may be none, and then it keeps nothing.
        let bytes = std::fs::read(path).unwrap_or_default();
        ids_in(&bytes, self.object_format().id_len() * 2)
    }

    /// Whether the branch and its reflog, which stay, lead to all of it.
    fn is_kept_by_branch(
        &self,
        admin: &Path,
        branch: &BranchName,
        wanted: &BTreeSet<String>,
    ) -> Result<bool, GitError> {
        let Some(commit) = self.find_branch(branch)? else {
            return Ok(false);
        };
        let mut kept = self.reflog_of(branch);
        kept.insert(commit.to_string());
        kept.insert(self.object_format().zero_id());
        Ok(wanted.is_subset(&kept) && self.is_index_of(&admin.join("index"), &commit))
    }

    /// What all references but these branches point at: while nobody has them checked out, anybody can delete them.
    fn ids_of_others(&self, branches: [&BranchName; 2]) -> Result<BTreeSet<String>, GitError> {
        let call = self
            .call("for-each-ref")
            .arg("--format=%(objectname) %(refname)");
        let text = self.git().run(&call)?.require_success()?.stdout;
        let text = String::from_utf8_lossy(&text);
        let pairs = text.lines().filter_map(|line| line.split_once(' '));
        let own = branches.map(BranchName::full_ref);
        let others = pairs.filter(|(_, name)| !own.iter().any(|own| own == name));
        Ok(others.map(|(id, _)| id.to_owned()).collect())
    }

    /// The ids among these that are objects. Whatever else looked like an id is left out.
    fn existing<'a>(&self, ids: impl Iterator<Item = &'a String>) -> Result<Vec<String>, GitError> {
        let lines: String = ids.map(|id| format!("{id}\n")).collect();
        let objects = self.objects()?;
        let call = objects
            .call("cat-file")
            .arg("--batch-check=%(objectname) %(objecttype)")
            .stdin(lines.into_bytes());
        let text = self.git().run(&call)?.require_success()?.text()?;
        let present = text.lines().filter_map(|line| line.split_once(' '));
        let present = present.filter(|(_, kind)| *kind != "missing");
        Ok(present.map(|(id, _)| id.to_owned()).collect())
    }
}

fn text_files(directory: &Path) -> Result<Vec<PathBuf>, GitError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).at(directory)? {
        let entry = entry.at(directory)?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let facts = entry.metadata().at(&path)?;
        if NOT_SCANNED.contains(&&*name) || name.starts_with("sharedindex.") {
            continue;
        }
        if facts.is_dir() {
            files.extend(text_files(&path)?);
        } else if facts.is_file() && facts.len() <= LARGEST {
            files.push(path);
        }
    }
    Ok(files)
}

/// Hexadecimal numbers of exactly this many digits.
fn ids_in(bytes: &[u8], digits: usize) -> BTreeSet<String> {
    let runs = bytes.split(|byte| !byte.is_ascii_hexdigit());
    let ids = runs.filter(|run| run.len() == digits);
    ids.map(|run| String::from_utf8_lossy(run).to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_between_other_words() {
        let (one, two) = ("a".repeat(40), "0123456789".repeat(4));
        let text = format!("pick {one} # fix\n{two} {one}1 bad, x{two}\n");
        assert_eq!(ids_in(text.as_bytes(), 40), BTreeSet::from([one, two]));
        assert_eq!(ids_in(b"", 40).len(), 0);
        let long = "b".repeat(64);
        assert_eq!(ids_in(long.as_bytes(), 64), BTreeSet::from([long]));
    }
}
