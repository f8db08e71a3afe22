//! What git was in the middle of when it stopped.

use std::fmt;
use std::path::Path;

/// An operation that waits for somebody to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
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

const MARKERS: &[(&str, Operation)] = &[
    ("rebase-merge", Operation::Rebase),
    ("rebase-apply/applying", Operation::Am),
    ("rebase-apply", Operation::Rebase),
    ("MERGE_HEAD", Operation::Merge),
    ("CHERRY_PICK_HEAD", Operation::CherryPick),
    ("REVERT_HEAD", Operation::Revert),
    ("BISECT_LOG", Operation::Bisect),
];

impl Operation {
    /// Looks at the files that git leaves in a checkout's own directory.
    pub(crate) fn in_progress(git_dir: &Path) -> Option<Self> {
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

impl fmt::Display for Operation {
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
        assert_eq!(Operation::in_progress(dir.path()), None);
        std::fs::create_dir(dir.path().join("rebase-apply")).unwrap();
        assert_eq!(Operation::in_progress(dir.path()), Some(Operation::Rebase));
        std::fs::write(dir.path().join("rebase-apply/applying"), "").unwrap();
        assert_eq!(Operation::in_progress(dir.path()), Some(Operation::Am));
        for (_, operation) in MARKERS {
            assert!(operation.way_out().starts_with("git "));
            assert!(!operation.to_string().is_empty());
        }
    }
}
