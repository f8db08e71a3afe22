//! What somebody has to decide about before work can land.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use orchestra_core::{ConflictContent, ConflictKind};
use orchestra_git::MergeResult;

/// A file that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InConflict {
    /// Its place in the tree.
    pub path: PathBuf,
    /// What is special about it; `None` for lines of text that both changed.
    pub what: Option<&'static str>,
}

impl fmt::Display for InConflict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.path.display())?;
        match self.what {
            Some(what) => write!(formatter, " ({what})"),
            None => Ok(()),
        }
    }
}

/// The same with what they are.
pub(super) fn files_of(merge: &MergeResult) -> Vec<InConflict> {
    let what = |path: &PathBuf| {
        let file = merge.conflicts.iter().find(|file| file.path == *path)?;
        what_is(file.content(), file.kind())
    };
    let paths = conflicted_paths(merge).into_iter();
    let file = |path| InConflict {
        what: what(&path),
        path,
    };
    paths.map(file).collect()
}

const fn what_is(content: ConflictContent, kind: ConflictKind) -> Option<&'static str> {
    match (content, kind) {
        (ConflictContent::Binary, _) => Some("binary: one side has to be taken"),
        (ConflictContent::Mode, _) => Some("mode: it can be run on one side only"),
        (ConflictContent::Submodule, _) => Some("submodule: each side has another commit of it"),
        (ConflictContent::Symlink, _) => Some("symbolic link"),
        (ConflictContent::Text, ConflictKind::DeletedByUs) => Some("deleted in the base"),
        (ConflictContent::Text, ConflictKind::DeletedByThem) => Some("deleted in the session"),
        (
            ConflictContent::Text,
            ConflictKind::BothModified
            | ConflictKind::BothAdded
            | ConflictKind::BothDeleted
            | ConflictKind::AddedByUs
            | ConflictKind::AddedByThem,
        ) => None,
    }
}

/// The files of a merge that somebody has to decide about.
pub(crate) fn conflicted_paths(merge: &MergeResult) -> Vec<PathBuf> {
    let files = merge.conflicts.iter().map(|file| file.path.clone());
    let told = merge
        .messages
        .iter()
        .flat_map(|message| message.paths.clone());
    let paths: BTreeSet<PathBuf> = match merge.conflicts.is_empty() {
        true => told.collect(),
        false => files.collect(),
    };
    paths.into_iter().collect()
}
