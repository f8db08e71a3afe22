//! What somebody has to decide about before work can land.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use orchestra_core::{ConflictContent, ConflictKind};
use orchestra_git::{ConflictedFile, MergeResult, Stage};

/// A file that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InConflict {
    /// Its place in the tree.
    pub path: PathBuf,
    /// What is special about it; `None` for lines of text that both changed.
    pub what: Option<String>,
}

impl fmt::Display for InConflict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.path.display())?;
        match &self.what {
            Some(what) => write!(formatter, " ({what})"),
            None => Ok(()),
        }
    }
}

/// The same with what they are.
pub(super) fn files_of(merge: &MergeResult) -> Vec<InConflict> {
    let what = |path: &PathBuf| {
        let file = merge.conflicts.iter().find(|file| file.path == *path)?;
        what_is(file)
    };
    let paths = conflicted_paths(merge).into_iter();
    let file = |path| InConflict {
        what: what(&path),
        path,
    };
    paths.map(file).collect()
}

fn what_is(file: &ConflictedFile) -> Option<String> {
    let what = match (file.kind(), file.content()) {
        (ConflictKind::FileDirectory | ConflictKind::DistinctTypes, _) => {
            let (base, session) = (thing(file.ours.as_ref()), thing(file.theirs.as_ref()));
            return Some(format!("a {base} in the base, a {session} in the session"));
        }
        (_, ConflictContent::Binary) => "binary: one side has to be taken",
        (_, ConflictContent::Mode) => "mode: it can be run on one side only",
        (_, ConflictContent::Submodule) => "submodule: each side has another commit of it",
        (_, ConflictContent::Symlink) => "symbolic link",
        (ConflictKind::DeletedByUs, ConflictContent::Text) => "deleted in the base",
        (ConflictKind::DeletedByThem, ConflictContent::Text) => "deleted in the session",
        (
            ConflictKind::BothModified
            | ConflictKind::BothAdded
            | ConflictKind::BothDeleted
            | ConflictKind::AddedByUs
            | ConflictKind::AddedByThem,
            ConflictContent::Text,
        ) => return None,
    };
    Some(what.to_owned())
}

/// Of a file and a directory, the side without a version has the directory.
fn thing(version: Option<&Stage>) -> String {
    version.map_or_else(|| "directory".to_owned(), |stage| stage.mode.to_string())
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
