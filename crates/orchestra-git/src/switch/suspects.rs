//! Which touched paths may have uncommitted changes, found in process: what the system says of each file is compared with what
//! git's index remembers. Only those that are not certainly clean are worth asking git about.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use gix_index::State;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, Stat, openat2, statat};

use super::touched::Touched;
use crate::byte_path::to_bytes;
use crate::contained::contained;
use crate::index_entry::Entry;
use crate::index_state::{Uncertain, is_same_file, load_index, require_plain};
use crate::repository::ObjectFormat;
use crate::worktree::Worktree;

const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The paths; `None` if any could be one, or another one keeps git from working on the index.
pub(super) fn suspects(worktree: &Worktree, touched: &[Touched]) -> Option<Vec<PathBuf>> {
    let found = contained(|| look(worktree, touched))?;
    let found = found.inspect_err(|reason| tracing::trace!(%reason, "git is asked about files"));
    found.ok()
}

fn look(worktree: &Worktree, touched: &[Touched]) -> Result<Vec<PathBuf>, Uncertain> {
    if worktree.repository().object_format() != ObjectFormat::Sha1 {
        return Err(Uncertain::Unsuited("object ids are not SHA-1"));
    }
    let index = load_index(&worktree.index_path())?;
    require_plain(&index)?;
    let top = openat2(
        CWD,
        worktree.path(),
        DIRECTORY,
        Mode::empty(),
        ResolveFlags::empty(),
    )?;
    let suspects = touched.iter().filter(|one| !is_clean(&top, &index, one));
    Ok(suspects.map(|one| one.path.clone()).collect())
}

/// What is not in the index is not its business: whether a new file has room is looked at on its own.
fn is_clean(top: &OwnedFd, index: &State, one: &Touched) -> bool {
    let path = to_bytes(&one.path);
    match (&one.before, index.entry_by_path(path.as_slice().into())) {
        (None, None) => true,
        (Some(before), Some(entry)) => {
            is_entry(before, entry)
                && stat_below(top, &one.path).is_ok_and(|now| is_same_file(index, entry, &now))
        }
        _ => false,
    }
}

fn is_entry(before: &Entry, entry: &gix_index::Entry) -> bool {
    let (mode, id) = (format!("{:06o}", entry.mode.bits()), entry.id.to_string());
    (&before.mode, &before.object) == (&mode, &id)
}

/// What is at a path, without following a link on the way.
fn stat_below(top: impl AsFd, path: &Path) -> rustix::io::Result<Stat> {
    let name = path.file_name().unwrap_or_default();
    let follow = AtFlags::SYMLINK_NOFOLLOW;
    match path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
    {
        None => statat(top, name, follow),
        Some(parent) => {
            let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            let parent = openat2(top, parent, DIRECTORY, Mode::empty(), within)?;
            statat(parent, name, follow)
        }
    }
}
