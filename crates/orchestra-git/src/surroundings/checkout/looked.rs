//! Files of a checkout, looked at in process. git is asked only of what changed.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use gix_index::State;

use crate::byte_path::{from_bytes, to_bytes};
use crate::contained::contained;
use crate::error::GitError;
use crate::exclude::is_kept_out;
use crate::index_state::{is_passed_over, load_index};
use crate::repository::ObjectFormat;
use crate::shadow::Shadow;
use crate::status::ChangeKind;
use crate::surroundings::checkout::Staged;
use crate::surroundings::walk::{Before, Found, walk};
use crate::surroundings::{FileFate, Moment};
use crate::worktree::Worktree;

/// An index that is whole in one file.
fn whole_index(checkout: &Worktree) -> Option<State> {
    if checkout.repository().object_format() != ObjectFormat::Sha1 {
        return None;
    }
    let loaded = contained(|| load_index(&checkout.index_path())).and_then(Result::ok);
    loaded.filter(|index| index.link().is_none() && !index.is_sparse())
}

/// What is there besides the files that git tracks, ignored or not.
pub(super) fn untracked(checkout: &Worktree) -> Option<BTreeSet<String>> {
    let index = whole_index(checkout)?;
    let found = walk(checkout.path(), &index, None);
    let is_ours = |path: &[u8]| is_kept_out(&checkout.path().join(from_bytes(path)));
    let names = found.unknown.iter().map(|unknown| &unknown.path);
    let names = names.filter(|path| !(path.ends_with(b"/") && is_ours(path)));
    let shown = names.map(|path| String::from_utf8_lossy(path).into_owned());
    Some(shown.collect())
}

/// The files whose entries are not the same in both.
pub(super) fn staged_since(kept: &Path, index: &Path) -> Staged {
    let mut staged = Staged::default();
    if is_same_file(kept, index) {
        return staged;
    }
    let load = |path: &Path| contained(|| load_index(path)).and_then(Result::ok);
    let (Some(before), Some(now)) = (load(kept), load(index)) else {
        return staged;
    };
    staged.otherwise = different(&entries(&before), &entries(&now));
    staged.passed_over = different(&passed_over(&before), &passed_over(&now));
    let staged_too = &staged.otherwise;
    staged.passed_over.retain(|path| !staged_too.contains(path));
    staged
}

/// The paths of what only one of both has.
fn different<Rest: Ord>(
    before: &BTreeSet<(&[u8], Rest)>,
    now: &BTreeSet<(&[u8], Rest)>,
) -> Vec<PathBuf> {
    let different = before.symmetric_difference(now);
    let paths: BTreeSet<_> = different.map(|(path, _)| from_bytes(path)).collect();
    paths.into_iter().collect()
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| path.metadata().ok().map(|it| (it.dev(), it.ino()));
    identity(one).is_some_and(|it| Some(it) == identity(other))
}

/// Stage, mode and content.
type Indexed = (u32, u32, gix_hash::ObjectId);

fn entries(index: &State) -> BTreeSet<(&[u8], Indexed)> {
    let entries = index.entries().iter();
    entries
        .map(|entry| {
            let path: &[u8] = entry.path(index);
            (path, (entry.stage_raw(), entry.mode.bits(), entry.id))
        })
        .collect()
}

/// What git was told not to look at.
fn passed_over(index: &State) -> BTreeSet<(&[u8], ())> {
    let entries = index.entries().iter();
    let passed_over = entries.filter(|entry| is_passed_over(entry));
    passed_over
        .map(|entry| (&**entry.path(index), ()))
        .collect()
}

/// Files that are not what git has of them, and changed since; `None` if only git can tell.
pub(super) fn changed_since(
    checkout: &Worktree,
    since: Moment,
    untracked: Option<&BTreeSet<String>>,
) -> Result<Option<Vec<(PathBuf, FileFate)>>, GitError> {
    let Some(index) = whole_index(checkout) else {
        return Ok(None);
    };
    let before = Before {
        at: since,
        unknown: untracked,
    };
    let found = walk(checkout.path(), &index, Some(before));
    let mut changes = asked(checkout, since, &found)?;
    let passed_over = found.passed_over.iter();
    changes.extend(passed_over.map(|path| (from_bytes(path), FileFate::Changed)));
    changes.extend(removed(checkout, untracked)?);
    changes.sort();
    changes.dedup();
    Ok(Some(changes))
}

/// What git says of what may have changed.
fn asked(
    checkout: &Worktree,
    since: Moment,
    found: &Found,
) -> Result<Vec<(PathBuf, FileFate)>, GitError> {
    let is_ours = |path: &[u8]| is_kept_out(&checkout.path().join(from_bytes(path)));
    let unknown = found.unknown.iter();
    let unknown = unknown.filter(|it| match it.is_directory {
        true => !is_ours(&it.path),
        false => it.is_recent,
    });
    let suspects = found.suspects.iter().chain(unknown.map(|it| &it.path));
    let paths: Vec<_> = suspects.map(|path| from_bytes(path)).collect();
    let Some(commit) = checkout.head()?.commit().cloned() else {
        return Ok(Vec::new());
    };
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let shadow = Shadow::of_worktree(checkout, &commit)?;
    let records = checkout.records_of(&shadow, &paths)?;
    let tracked = records.unstaged.into_iter().map(|change| {
        let fate = match change.kind {
            ChangeKind::Deleted => FileFate::Removed,
            _ => FileFate::Changed,
        };
        (change.path, fate)
    });
    let is_recent = |path: &PathBuf| {
        let facts = checkout.path().join(path).symlink_metadata();
        facts.is_ok_and(|facts| Moment::of(&facts) >= since)
    };
    let untracked = records.untracked.into_iter().filter(is_recent);
    let untracked = untracked.map(|path| (path, FileFate::Untracked));
    Ok(tracked.chain(untracked).collect())
}

/// What was there, is gone, and was not ignored.
fn removed(
    checkout: &Worktree,
    before: Option<&BTreeSet<String>>,
) -> Result<Vec<(PathBuf, FileFate)>, GitError> {
    // A name that is no text was not kept whole, so that it cannot be looked for.
    let is_whole = |path: &str| !path.contains(char::REPLACEMENT_CHARACTER);
    let is_gone =
        |path: &&String| is_whole(path) && checkout.path().join(path).symlink_metadata().is_err();
    let gone: Vec<_> = before.into_iter().flatten().filter(is_gone).collect();
    let Some(commit) = checkout.head()?.commit().cloned() else {
        return Ok(Vec::new());
    };
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let named: Vec<_> = gone.iter().map(|path| to_bytes(path.as_ref())).collect();
    let ignored = checkout.ignored_among(&commit, &named)?;
    let is_missed = |path: &&Vec<u8>| !ignored.contains(path);
    let missed = named.iter().filter(is_missed);
    Ok(missed
        .map(|path| (from_bytes(path), FileFate::Removed))
        .collect())
}
