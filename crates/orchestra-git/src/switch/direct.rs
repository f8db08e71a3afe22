//! Takes the files and the index of a checkout from one commit to another in process, where git would only write stored bytes.
//!
//! New files are made out of sight first, so that what can fail has failed before anything changes. Then each takes the place
//! of the old one in one step, and what came out is compared with what was expected. Nothing is overwritten or deleted before
//! the index is in place; until then everything can be taken back, and is when something does not fit. git has its say then.

mod index;
mod room;
mod swap;

use std::collections::BTreeSet;

use gix_index::State;
use gix_object::Kind;
use gix_object::tree::EntryKind;
use orchestra_core::CommitId;

use crate::contained::contained;
use crate::conversion;
use crate::declined::Declined;
use crate::index_lock::IndexLock;
use crate::index_state::{load_index, require_tree_of, require_usual};
use crate::objects::{Objects, Store};
use crate::tree_changes::{ChangedPath, TreeChanges};
use crate::worktree::Worktree;

use room::Room;
use swap::Swap;

/// More files than this are written by git.
const MOST: usize = 500;
const ATTRIBUTES: &[u8] = b".gitattributes";

/// Whether it was done. If not, everything is as before, and git is to do it or to say why not.
pub(super) fn is_switched(worktree: &Worktree, from: &CommitId, to: &CommitId) -> bool {
    let switched = worktree.repository().directly(|store| {
        let switched = switch(worktree, store, from, to);
        let told = |declined: &Declined| tracing::debug!(reason = %declined, "left to git");
        switched.inspect_err(told).ok()
    });
    switched.is_some()
}

/// Removes what a process that was killed left out of sight.
pub(super) fn clear_room(worktree: &Worktree) {
    let clear = |store: &Store| Room::clear(worktree.admin_dir(), &store.objects()).ok();
    if worktree.repository().directly(clear).is_none() {
        tracing::debug!(worktree = %worktree.path().display(), "something is left of a switch");
    }
}

fn switch(
    worktree: &Worktree,
    store: &Store,
    from: &CommitId,
    to: &CommitId,
) -> Result<(), Declined> {
    let objects = &store.objects();
    let (before, after) = (objects.tree_of(from)?, objects.tree_of(to)?);
    let changes = TreeChanges::between(objects, &before, &after);
    let changes = changes.ok_or(Declined::Unsuited("a tree is odd"))?.paths;
    require_files(&changes)?;
    conversion::require_plain_settings(worktree)?;
    conversion::require_plain_attributes(worktree.repository())?;
    let lock = IndexLock::take(worktree);
    let lock = lock.map_err(|_| Declined::Unsuited("the index is locked"))?;
    let index = contained(|| load_index(&worktree.index_path())).ok_or(Declined::Panicked)??;
    require_tree_of(worktree.repository(), from, &index)?;
    require_usual(&index)?;
    require_no_conversion(worktree, objects, &index, &changes)?;
    let room = Room::make(worktree.admin_dir(), objects)?;
    let mut swap = Swap::prepare(worktree.path(), &room, objects, &changes)?;
    swap.carry_out(&index)?;
    let bytes = index::edited(index, &swap.placed()?, objects, after)?;
    let put = lock.put(&bytes, &worktree.index_path());
    put.map_err(|_| Declined::Unsuited("the index cannot be written"))?;
    swap.keep();
    Ok(())
}

/// Files and links alone, none of which takes the place of a directory.
fn require_files(changes: &[ChangedPath]) -> Result<(), Declined> {
    let paths: BTreeSet<&[u8]> = changes.iter().map(|one| one.path.as_slice()).collect();
    let is_submodule = |one: &ChangedPath| {
        let mut entries = [one.before, one.after].into_iter().flatten();
        entries.any(|entry| entry.kind == EntryKind::Commit)
    };
    let is_below_another = |one: &ChangedPath| directories(&one.path).any(|it| paths.contains(it));
    if changes.len() > MOST || changes.iter().any(is_submodule) {
        return Err(Declined::Unsuited("there are many files or submodules"));
    }
    if changes.iter().any(is_below_another) {
        return Err(Declined::Unsuited("a file and a directory change places"));
    }
    Ok(())
}

/// No attribute file of either commit asks for a conversion, and none lies there that git does not know.
fn require_no_conversion(
    worktree: &Worktree,
    objects: &Objects,
    index: &State,
    changes: &[ChangedPath],
) -> Result<(), Declined> {
    let known = index.entries().iter();
    let known = known.filter(|entry| name_of(entry.path(index)) == ATTRIBUTES);
    let new = changes
        .iter()
        .filter(|one| name_of(&one.path) == ATTRIBUTES);
    let new = new.filter_map(|one| one.after.map(|entry| entry.id));
    let mut buffer = Vec::new();
    for id in known.map(|entry| entry.id).chain(new) {
        conversion::require_none(objects.read(&id, Kind::Blob, &mut buffer)?)?;
    }
    let places: BTreeSet<&[u8]> = changes
        .iter()
        .flat_map(|one| directories(&one.path))
        .collect();
    for place in places.into_iter().chain([&b""[..]]) {
        let separator: &[u8] = if place.is_empty() { b"" } else { b"/" };
        let path = [place, separator, ATTRIBUTES].concat();
        let is_known = index.entry_by_path(path.as_slice().into()).is_some();
        let full = worktree.path().join(crate::byte_path::from_bytes(&path));
        if !is_known && full.symlink_metadata().is_ok() {
            return Err(Declined::Unsuited("git does not know an attribute file"));
        }
    }
    Ok(())
}

/// The directories that a path is in, the deepest first, without the top.
fn directories(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = path.iter().enumerate().rev();
    let ends = ends.filter(|(_, byte)| **byte == b'/');
    ends.map(|(end, _)| &path[..end])
}

fn name_of(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}
