//! Which touched paths may have uncommitted changes, found in process: what the system says of each file is compared with what
//! git's index remembers. Only those that are not certainly clean are worth asking git about.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use gix_index::State;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

use super::touched::Touched;
use crate::byte_path::to_bytes;
use crate::contained::contained;
use crate::index_entry::Entry;
use crate::index_state::{Uncertain, clean_file, load_index, require_plain};
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
            let parent = parent_of(top, &one.path);
            let name = one.path.file_name().unwrap_or_default();
            is_entry(before, entry)
                && parent.is_ok_and(|parent| clean_file(index, entry, parent, name).is_some())
        }
        _ => false,
    }
}

fn is_entry(before: &Entry, entry: &gix_index::Entry) -> bool {
    let (mode, id) = (format!("{:06o}", entry.mode.bits()), entry.id.to_string());
    (&before.mode, &before.object) == (&mode, &id)
}

/// The directory that a path is in, without following a link on the way.
fn parent_of(top: &OwnedFd, path: &Path) -> rustix::io::Result<OwnedFd> {
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let parent = parent.unwrap_or(Path::new("."));
    openat2(top, parent, DIRECTORY, Mode::empty(), within)
}
