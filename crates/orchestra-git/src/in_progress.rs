//! What git is in the middle of in a checkout: it waits for somebody to go on.

use std::fmt;
use std::path::Path;

/// What git is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InProgress {
    /// `git rebase`
    Rebase,
    /// `git am`
    Am,
    /// `git merge`
    Merge,
    /// `git cherry-pick`
    CherryPick,
    /// `git revert`
    Revert,
    /// `git bisect`
    Bisect,
}

const MARKERS: &[(&str, InProgress)] = &[
    ("rebase-merge", InProgress::Rebase),
    ("rebase-apply/applying", InProgress::Am),
    ("rebase-apply", InProgress::Rebase),
    ("MERGE_HEAD", InProgress::Merge),
    ("CHERRY_PICK_HEAD", InProgress::CherryPick),
    ("REVERT_HEAD", InProgress::Revert),
    ("BISECT_LOG", InProgress::Bisect),
];

impl InProgress {
    /// Looks at the files that git leaves in a checkout's own directory.
    pub(crate) fn find(git_dir: &Path) -> Option<Self> {
        MARKERS
            .iter()
            .find(|(name, _)| git_dir.join(name).exists())
            .map(|(_, operation)| *operation)
    }

    /// The commands that end it.
    #[must_use]
    pub fn way_out(self) -> &'static str {
        match self {
            Self::Rebase => "git rebase --continue, or git rebase --abort",
            Self::Am => "git am --continue, or git am --abort",
            Self::Merge => "git merge --continue, or git merge --abort",
            Self::CherryPick => "git cherry-pick --continue, or git cherry-pick --abort",
            Self::Revert => "git revert --continue, or git revert --abort",
            Self::Bisect => "git bisect reset",
        }
    }
}

impl fmt::Display for InProgress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Rebase => "rebase",
            Self::Am => "am",
            Self::Merge => "merge",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
            Self::Bisect => "bisect",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_marker_is_known() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(InProgress::find(dir.path()), None);
        std::fs::create_dir(dir.path().join("rebase-apply")).unwrap();
        assert_eq!(InProgress::find(dir.path()), Some(InProgress::Rebase));
        std::fs::write(dir.path().join("rebase-apply/applying"), "").unwrap();
        assert_eq!(InProgress::find(dir.path()), Some(InProgress::Am));
        for (_, operation) in MARKERS {
            assert!(operation.way_out().starts_with("git "));
            assert!(!operation.to_string().is_empty());
        }
    }
}
