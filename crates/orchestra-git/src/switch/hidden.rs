//! Files that somebody told git not to look at: `status` does not show their changes, and git refuses to write over them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{SwitchError, Touched};
use crate::byte_path::from_bytes;
use crate::error::GitError;
use crate::shadow::Shadow;
use crate::worktree::Worktree;

impl Worktree {
    /// What git failed at, or the changes that it was told not to look at and stumbled over.
    pub(super) fn hidden_or(
        &self,
        failure: GitError,
        touched: &[Touched],
        shadow: &Shadow,
    ) -> SwitchError {
        match self.hidden_changes(touched, shadow) {
            Ok(paths) if !paths.is_empty() => SwitchError::Dirty(paths),
            // That it cannot be told is less than what failed first.
            Ok(_) | Err(_) => failure.into(),
        }
    }

    fn hidden_changes(
        &self,
        touched: &[Touched],
        shadow: &Shadow,
    ) -> Result<Vec<PathBuf>, GitError> {
        let git = self.repository().git();
        let list = git.run(&shadow.call("ls-files").args(["-v", "-z"]))?;
        let before: BTreeMap<_, _> = touched
            .iter()
            .filter_map(|one| Some((&one.path, one.before.as_ref()?)))
            .collect();
        let mut changed = Vec::new();
        for path in hidden_paths(&list.require_success()?.stdout) {
            let Some(entry) = before
                .get(&path)
                .filter(|_| self.path().join(&path).exists())
            else {
                continue;
            };
            let call = shadow.call("hash-object").arg("--").arg(&path);
            if git.line(&call)? != entry.object {
                changed.push(path);
            }
        }
        Ok(changed)
    }
}

/// The paths of `ls-files -v` with a small letter (assume-unchanged) or an S (skip-worktree) before them.
fn hidden_paths(list: &[u8]) -> Vec<PathBuf> {
    let records = list.split(|byte| *byte == 0);
    let hidden = records.filter_map(|record| match record {
        [tag, b' ', path @ ..] if tag.is_ascii_lowercase() || *tag == b'S' => Some(path),
        _ => None,
    });
    hidden.map(from_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_told_by_letters() {
        let list = b"H plain\0h assumed\0S skipped\0s both\0";
        let expected = ["assumed", "skipped", "both"].map(PathBuf::from);
        assert_eq!(hidden_paths(list), expected);
    }
}
