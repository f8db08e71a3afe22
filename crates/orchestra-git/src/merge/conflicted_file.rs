//! A file that a merge could not decide about, with its versions.

use std::path::PathBuf;

use orchestra_core::{ConflictClass, ConflictContent, ConflictKind, EntryMode, ObjectId};

use crate::index_entry::{Entry, Indexed};

/// One version of a file in an index or a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// What it is.
    pub mode: EntryMode,
    /// Its content; of a submodule, the commit.
    pub object: ObjectId,
}

/// A file that a merge could not decide about. One of the versions exists at least.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictedFile {
    /// Its place in the tree.
    pub path: PathBuf,
    /// What both sides started from.
    pub base: Option<Stage>,
    /// In a rebase, what is rebased onto.
    pub ours: Option<Stage>,
    /// In a rebase, the commit that is replayed.
    pub theirs: Option<Stage>,
    /// Whether git found that its bytes are no text. Not known from the versions alone.
    pub is_binary: bool,
    /// Whether the side without a version has a directory there.
    pub meets_directory: bool,
}

impl ConflictedFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            base: None,
            ours: None,
            theirs: None,
            is_binary: false,
            meets_directory: false,
        }
    }

    /// Which sides have it. A file with no version at all would be one that both deleted.
    #[must_use]
    pub fn kind(&self) -> ConflictKind {
        if self.meets_directory {
            return ConflictKind::FileDirectory;
        }
        if let (Some(ours), Some(theirs)) = (&self.ours, &self.theirs)
            && !ours.mode.is_same_type_as(theirs.mode)
        {
            return ConflictKind::DistinctTypes;
        }
        let (base, ours, theirs) = (&self.base, &self.ours, &self.theirs);
        ConflictKind::from_stages(base.is_some(), ours.is_some(), theirs.is_some())
            .unwrap_or(ConflictKind::BothDeleted)
    }

    /// What kind of thing it is.
    #[must_use]
    pub fn content(&self) -> ConflictContent {
        let any = |mode| self.stages().any(|stage| stage.mode == mode);
        match (&self.ours, &self.theirs) {
            _ if any(EntryMode::Submodule) => ConflictContent::Submodule,
            _ if any(EntryMode::Symlink) => ConflictContent::Symlink,
            (Some(ours), Some(theirs)) if ours.object == theirs.object => ConflictContent::Mode,
            _ if self.is_binary => ConflictContent::Binary,
            _ => ConflictContent::Text,
        }
    }

    /// Whether its name says how it is best resolved.
    #[must_use]
    pub fn class(&self) -> ConflictClass {
        ConflictClass::of(&self.path)
    }

    /// The place for git's number of a version: 1 base, 2 ours, 3 theirs.
    fn stage_mut(&mut self, number: u8) -> Option<&mut Option<Stage>> {
        match number {
            1 => Some(&mut self.base),
            2 => Some(&mut self.ours),
            3 => Some(&mut self.theirs),
            _ => None,
        }
    }

    /// Takes over the versions that another one has, which is the same thing under another name.
    pub(super) fn join(&mut self, other: Self) {
        self.base = self.base.take().or(other.base);
        self.ours = self.ours.take().or(other.ours);
        self.theirs = self.theirs.take().or(other.theirs);
        self.is_binary |= other.is_binary;
        self.meets_directory |= other.meets_directory;
    }

    fn stages(&self) -> impl Iterator<Item = &Stage> {
        [&self.base, &self.ours, &self.theirs].into_iter().flatten()
    }
}

impl From<&Stage> for Entry {
    fn from(stage: &Stage) -> Self {
        Self {
            mode: stage.mode.as_octal().to_owned(),
            object: stage.object.to_string(),
        }
    }
}

/// The versions of files with a conflict, by path; those of one path follow each other. `None` if one is of no known kind.
pub(crate) fn gather_versions(versions: Vec<Indexed>) -> Option<Vec<ConflictedFile>> {
    let mut conflicts: Vec<ConflictedFile> = Vec::new();
    for version in versions {
        let Entry { mode, object } = version.entry;
        let stage = Stage {
            mode: EntryMode::from_octal(&mode)?,
            object: object.parse().ok()?,
        };
        if conflicts
            .last()
            .is_none_or(|last| last.path != version.path)
        {
            conflicts.push(ConflictedFile::new(version.path));
        }
        *conflicts.last_mut()?.stage_mut(version.stage)? = Some(stage);
    }
    Some(conflicts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(mode: EntryMode, digit: &str) -> Option<Stage> {
        let object = digit.repeat(40).parse().unwrap();
        Some(Stage { mode, object })
    }

    fn file(ours: Option<Stage>, theirs: Option<Stage>) -> ConflictedFile {
        ConflictedFile {
            base: stage(EntryMode::File, "1"),
            ours,
            theirs,
            ..ConflictedFile::new("a/Cargo.lock".into())
        }
    }

    #[test]
    fn the_content_follows_from_the_versions() {
        let (two, three) = (stage(EntryMode::File, "2"), stage(EntryMode::File, "3"));
        let text = file(two.clone(), three.clone());
        assert_eq!(text.content(), ConflictContent::Text);
        assert_eq!(text.kind(), ConflictKind::BothModified);
        assert!(matches!(text.class(), ConflictClass::Lockfile { .. }));
        let binary = ConflictedFile {
            is_binary: true,
            ..text
        };
        assert_eq!(binary.content(), ConflictContent::Binary);
        let mode = file(stage(EntryMode::Executable, "3"), three);
        assert_eq!(mode.content(), ConflictContent::Mode);
        let link = file(two.clone(), stage(EntryMode::Symlink, "3"));
        assert_eq!(link.content(), ConflictContent::Symlink);
        assert_eq!(link.kind(), ConflictKind::DistinctTypes);
        let module = file(two, stage(EntryMode::Submodule, "3"));
        assert_eq!(module.content(), ConflictContent::Submodule);
    }

    #[test]
    fn no_version_counts_as_deleted_by_both() {
        let none = ConflictedFile::new("a".into());
        assert_eq!(none.kind(), ConflictKind::BothDeleted);
    }
}
