//! The index of a checkout after some of its files were replaced, as git would write it.

use std::collections::BTreeSet;

use gix_hash::ObjectId;
use gix_index::State;
use gix_index::entry::{Flags, Mode, Stage};
use gix_index::extension::Tree;
use gix_index::write::{Extensions, Options};
use gix_object::tree::{EntryKind, EntryMode};
use rustix::fs::Stat;

use crate::declined::Declined;
use crate::index_state::{as_remembered, is_racy};
use crate::objects::{ObjectError, Objects};
use crate::tree_changes::{ChangedPath, entries_of};

const HOW: Options = Options {
    extensions: Extensions::Given {
        tree_cache: true,
        end_of_index_entry: false,
    },
    skip_hash: false,
};

/// The bytes of an index that held one tree, and holds another one once these files are replaced.
pub(super) fn edited(
    mut index: State,
    placed: &[(&ChangedPath, Option<Stat>)],
    objects: &Objects,
    tree: ObjectId,
) -> Result<Vec<u8>, Declined> {
    distrust_racy(&mut index);
    let gone = placed.iter().filter(|(one, _)| one.after.is_none());
    let gone: BTreeSet<&[u8]> = gone.map(|(one, _)| one.path.as_slice()).collect();
    index.remove_entries(|_, path, _| {
        let path: &[u8] = path;
        gone.contains(path)
    });
    // New entries come last: they are out of order until all are there.
    for (one, facts) in placed.iter().filter(|(one, _)| one.before.is_some()) {
        put(&mut index, one, facts.as_ref())?;
    }
    for (one, facts) in placed.iter().filter(|(one, _)| one.before.is_none()) {
        put(&mut index, one, facts.as_ref())?;
    }
    index.sort_entries();
    let odd = Declined::Unsuited("a tree is odd");
    let trees = rebuilt(objects, index.tree(), b"", tree, 0).ok_or(odd)?;
    if let Some(noted) = index.tree_mut() {
        *noted = trees;
    }
    written(&index)
}

/// git looks into such files again, whatever the time of the index: one of them may have changed right after the index was
/// written, with the same time and length.
fn distrust_racy(index: &mut State) {
    let time = index.timestamp();
    for entry in index.entries_mut() {
        if is_racy(entry, time) {
            entry.stat.size = 0;
        }
    }
}

fn put(index: &mut State, one: &ChangedPath, facts: Option<&Stat>) -> Result<(), Declined> {
    let (Some(after), Some(facts)) = (&one.after, facts) else {
        return Ok(());
    };
    let (path, stat) = (one.path.as_slice().into(), as_remembered(facts));
    let mode = Mode::from_bits(u32::from(EntryMode::from(after.kind).value()));
    let mode = mode.ok_or(Declined::Unsuited("a file has an unusual mode"))?;
    if one.before.is_none() {
        index.dangerously_push_entry(stat, after.id, Flags::empty(), mode, path);
        return Ok(());
    }
    let entry = index.entry_mut_by_path_and_stage(path, Stage::Unconflicted);
    let entry = entry.ok_or(Declined::Unsuited("the index has no such file"))?;
    (entry.id, entry.mode, entry.stat) = (after.id, mode, stat);
    Ok(())
}

/// What git notes of the trees an index stands for. Only those that changed are read.
fn rebuilt(
    objects: &Objects,
    old: Option<&Tree>,
    name: &[u8],
    id: ObjectId,
    depth: usize,
) -> Option<Tree> {
    if let Some(same) = old.filter(|old| old.id == id && old.num_entries.is_some()) {
        return Some(in_gits_order(same.clone()));
    }
    if depth > 256 {
        return None;
    }
    let entries = entries_of(objects, Some(&id))?;
    let (mut files, mut children) = (0, Vec::new());
    for (name, entry) in &entries {
        if entry.kind == EntryKind::Tree {
            let mut known = old.into_iter().flat_map(|old| &old.children);
            let known = known.find(|child| child.name[..] == name[..]);
            children.push(rebuilt(objects, known, name, entry.id, depth + 1)?);
        } else {
            files += 1;
        }
    }
    for child in &children {
        files += child.num_entries?;
    }
    Some(in_gits_order(Tree {
        name: name.into(),
        id,
        num_entries: Some(files),
        children,
    }))
}

/// Shorter names come first.
fn in_gits_order(mut tree: Tree) -> Tree {
    let children = std::mem::take(&mut tree.children);
    tree.children = children.into_iter().map(in_gits_order).collect();
    tree.children
        .sort_by(|one, other| (one.name.len(), &one.name).cmp(&(other.name.len(), &other.name)));
    tree
}

fn written(index: &State) -> Result<Vec<u8>, Declined> {
    let mut bytes = Vec::new();
    index.write_to(&mut bytes, HOW).map_err(ObjectError::new)?;
    let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
    hasher.update(&bytes);
    let checksum = hasher.try_finalize().map_err(ObjectError::new)?;
    bytes.extend(checksum.as_slice());
    Ok(bytes)
}
