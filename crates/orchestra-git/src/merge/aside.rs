//! What git puts aside: where two things cannot have one name, git gives one of them a name that nobody chose, such as
//! `a~main`. People know it by its real name, so its conflict has that, and no worktree gets the other.

use std::path::{Path, PathBuf};

use orchestra_core::TreeId;

use super::{ConflictedFile, MergeMessage, MergeResult};
use crate::error::GitError;
use crate::index_entry::{Entry, index_records};
use crate::repository::Repository;
use crate::shadow::Shadow;

/// git's words for a file or link in whose place the other side has a directory: the name it got, then the real one.
const FILE_DIRECTORY: &str = "CONFLICT (file/directory)";
/// git's words for things that cannot be merged, such as a file and a link: the real name, then those that were given.
const DISTINCT_TYPES: &str = "CONFLICT (distinct modes)";

/// Something with another name in the tree of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutAside {
    /// What git calls it.
    pub name: PathBuf,
    /// What it is called.
    pub real: PathBuf,
    /// Whether a directory has its place.
    for_directory: bool,
}

pub(super) fn put_aside(messages: &[MergeMessage]) -> Vec<PutAside> {
    let aside = |name: &PathBuf, real: &PathBuf, for_directory| PutAside {
        name: name.clone(),
        real: real.clone(),
        for_directory,
    };
    let mut found = Vec::new();
    for message in messages {
        match (message.kind.as_str(), message.paths.as_slice()) {
            (FILE_DIRECTORY, [name, real]) => found.push(aside(name, real, true)),
            (DISTINCT_TYPES, [real, names @ ..]) => {
                found.extend(names.iter().map(|name| aside(name, real, false)));
            }
            _ => {}
        }
    }
    found
}

/// The same conflicts in the order of real paths, versions of one path together.
pub(super) fn with_real_names(
    conflicts: Vec<ConflictedFile>,
    aside: &[PutAside],
) -> Vec<ConflictedFile> {
    if aside.is_empty() {
        return conflicts;
    }
    let mut joined: Vec<ConflictedFile> = Vec::new();
    for mut file in conflicts {
        if let Some(found) = aside.iter().find(|one| one.name == file.path) {
            file.path.clone_from(&found.real);
            file.meets_directory = found.for_directory;
        }
        match joined.iter_mut().find(|one| one.path == file.path) {
            Some(one) => one.join(file),
            None => joined.push(file),
        }
    }
    joined.sort_by(|one, other| one.path.cmp(&other.path));
    joined
}

impl Repository {
    /// The files of a merge without names that nobody chose. Of two that were put aside, ours has the place.
    pub(crate) fn tree_without_aside(&self, merge: &MergeResult) -> Result<TreeId, GitError> {
        if merge.aside.is_empty() {
            return Ok(merge.tree.clone());
        }
        let shadow = Shadow::of_objects(self)?;
        let read = shadow.call("read-tree").arg(merge.tree.as_str());
        self.git().run(&read)?.require_success()?;
        let names = merge.aside.iter().map(|one| (one.name.clone(), None));
        let entries: Vec<_> = names.chain(without_place(merge)).collect();
        let entries = entries.iter().map(|(path, entry)| (path, entry.as_ref()));
        let records = index_records(self.object_format(), entries);
        let call = shadow.call("update-index").args(["-z", "--index-info"]);
        self.git().run(&call.stdin(records))?.require_success()?;
        let call = shadow.call("write-tree");
        let tree = self.git().line(&call)?.parse();
        tree.map_err(|_| call.unreadable("it is not a tree id"))
    }
}

/// Where both were put aside, nothing has the place.
fn without_place(merge: &MergeResult) -> impl Iterator<Item = (PathBuf, Option<Entry>)> {
    let count = |path: &Path| merge.aside.iter().filter(|one| one.real == path).count();
    let both = merge.conflicts.iter();
    let both = both.filter(move |file| count(&file.path) == 2);
    both.map(|file| (file.path.clone(), file.ours.as_ref().map(Entry::from)))
}
