//! Why a conflict cannot be decided.

use std::path::PathBuf;

use crate::error::GitError;
use crate::shown::shown;

/// Why a conflict cannot be decided.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// git has nothing to decide there.
    #[error("`{}` has no conflict", path.display())]
    NotConflicted {
        /// What was asked for.
        path: PathBuf,
        /// What has one.
        conflicts: Vec<PathBuf>,
    },
    /// Nobody edited the file, or not all of it.
    #[error("conflict markers are left in `{}` at {}", path.display(), numbers(lines))]
    MarkersLeft {
        /// The file.
        path: PathBuf,
        /// Where.
        lines: Vec<usize>,
    },
    /// Something that git does not track would be lost.
    #[error("`{}` is in the way", .0.display())]
    InTheWay(PathBuf),
    /// Which commit a submodule shall be at cannot be told from its directory without running git in it.
    #[error("`{}` is a submodule, and is decided by taking one of the two commits", .0.display())]
    Submodule(PathBuf),
    /// Something else.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl ResolveError {
    /// A stable name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotConflicted { .. } => "git.not_conflicted",
            Self::MarkersLeft { .. } => "git.markers_left",
            Self::InTheWay(_) => "git.changes_in_the_way",
            Self::Submodule(_) => "git.submodule",
            Self::Git(error) => error.code(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotConflicted { conflicts, .. } if conflicts.is_empty() => {
                Some("every conflict is resolved".to_owned())
            }
            Self::NotConflicted { conflicts, .. } => {
                Some(format!("these have one: {}", shown(conflicts)))
            }
            Self::MarkersLeft { .. } => {
                Some("edit the file until only what you want is left, then try again".to_owned())
            }
            Self::InTheWay(_) => Some("move it away, then try again".to_owned()),
            Self::Submodule(path) => Some(format!(
                "take one with --ours or --theirs; for the commit that is checked out there, `git add {}` in the worktree",
                path.display()
            )),
            Self::Git(error) => error.hint(),
        }
    }
}

fn numbers(lines: &[usize]) -> String {
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
    format!("{word} {}", lines.join(", "))
}
