//! Files of a checkout, asked of git, where they cannot be looked at in process.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::error::GitError;
use crate::surroundings::{FileFate, Moment};
use crate::worktree::Worktree;

/// What git does not track and does not ignore.
pub(super) fn untracked(checkout: &Worktree) -> Result<BTreeSet<String>, GitError> {
    if checkout.head()?.commit().is_none() {
        return Ok(BTreeSet::new());
    }
    let untracked = checkout.status()?.untracked;
    let shown = untracked.iter().map(|path| path.to_string_lossy());
    Ok(shown.map(|path| path.into_owned()).collect())
}

/// Files that are not what git has of them, and changed since.
pub(super) fn changed_since(
    checkout: &Worktree,
    since: Moment,
    untracked_before: Option<&BTreeSet<String>>,
) -> Result<Vec<(PathBuf, FileFate)>, GitError> {
    if !checkout.path().is_dir() || checkout.head()?.commit().is_none() {
        return Ok(Vec::new());
    }
    let status = checkout.status()?;
    let is_recent = |path: &PathBuf| {
        let place = checkout.path().join(path);
        let facts = place.symlink_metadata();
        let facts = facts.or_else(|_| place.parent().unwrap_or(&place).metadata());
        facts.is_ok_and(|facts| Moment::of(&facts) >= since)
    };
    let fate = |path: &PathBuf, there: FileFate| match checkout.path().join(path).exists() {
        true => there,
        false => FileFate::Removed,
    };
    let tracked = status.tracked().into_iter().filter(is_recent);
    let mut found: Vec<_> = tracked
        .map(|path| (path.clone(), fate(&path, FileFate::Changed)))
        .collect();
    let untracked = status.untracked.iter().filter(|path| is_recent(path));
    found.extend(untracked.map(|path| (path.clone(), FileFate::Untracked)));
    let gone = untracked_before
        .into_iter()
        .flatten()
        .map(PathBuf::from)
        .filter(|path| !checkout.path().join(path).exists());
    found.extend(gone.map(|path| (path, FileFate::Removed)));
    Ok(found)
}
