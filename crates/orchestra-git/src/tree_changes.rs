//! What differs between two trees, found in process. Trees that git would not have made are left to git.

use std::collections::{BTreeMap, BTreeSet};

use gix_hash::{ObjectId, oid};
use gix_object::tree::{EntryKind, EntryMode};
use gix_object::{Kind, TreeRefIter};
use gix_validate::path::component;

use crate::objects::Objects;

/// Deeper trees than any that people make are left to git.
const DEEPEST: usize = 256;
/// As many differences are not worth it.
const MOST: usize = 100_000;

/// What git forbids on any system, because a disk may be used from another one.
const FORBIDDEN: component::Options = component::Options {
    protect_windows: false,
    protect_hfs: true,
    protect_ntfs: true,
};

/// One entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) kind: EntryKind,
    pub(crate) id: ObjectId,
}

/// A file, a link or a submodule that is not the same in both.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ChangedPath {
    pub(crate) path: Vec<u8>,
    pub(crate) before: Option<TreeEntry>,
    pub(crate) after: Option<TreeEntry>,
}

/// The differences of two trees.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TreeChanges {
    pub(crate) paths: Vec<ChangedPath>,
    /// Trees that only the second one has in these places.
    pub(crate) trees: Vec<ObjectId>,
}

impl TreeChanges {
    /// Compares two trees. `None`: git has to look.
    pub(crate) fn between(objects: &Objects, before: &oid, after: &oid) -> Option<Self> {
        let mut changes = Self::default();
        if before != after {
            changes.compare(objects, Some(before), Some(after), &[], 0)?;
        }
        Some(changes)
    }

    fn compare(
        &mut self,
        objects: &Objects,
        before: Option<&oid>,
        after: Option<&oid>,
        prefix: &[u8],
        depth: usize,
    ) -> Option<()> {
        if depth > DEEPEST || self.paths.len() > MOST {
            return None;
        }
        self.trees.extend(after.map(oid::to_owned));
        let before = entries_of(objects, before)?;
        let after = entries_of(objects, after)?;
        let names: BTreeSet<&Vec<u8>> = before.keys().chain(after.keys()).collect();
        for name in names {
            let (before, after) = (before.get(name), after.get(name));
            if before != after {
                let path = [prefix, name].concat();
                self.compare_entry(objects, before, after, path, depth)?;
            }
        }
        Some(())
    }

    fn compare_entry(
        &mut self,
        objects: &Objects,
        before: Option<&TreeEntry>,
        after: Option<&TreeEntry>,
        mut path: Vec<u8>,
        depth: usize,
    ) -> Option<()> {
        let file = |entry: Option<&TreeEntry>| entry.filter(|it| !is_tree(it)).copied();
        let tree = |entry: Option<&TreeEntry>| entry.filter(|it| is_tree(it)).map(|it| it.id);
        let (files, trees) = ((file(before), file(after)), (tree(before), tree(after)));
        if files != (None, None) {
            self.paths.push(ChangedPath {
                path: path.clone(),
                before: files.0,
                after: files.1,
            });
        }
        if trees == (None, None) {
            return Some(());
        }
        path.push(b'/');
        let (before, after) = (trees.0.as_deref(), trees.1.as_deref());
        self.compare(objects, before, after, &path, depth + 1)
    }
}

/// Whether a name in a tree leads nowhere else on any system.
pub(crate) fn is_harmless(name: &[u8], is_link: bool) -> bool {
    let mode = is_link.then_some(component::Mode::Symlink);
    gix_validate::path::component(name.into(), mode, FORBIDDEN).is_ok() && !name.contains(&b'\\')
}

/// The kind of an entry, if git writes it in this way.
pub(crate) fn plain_kind(mode: EntryMode) -> Option<EntryKind> {
    let kind = mode.kind();
    (EntryMode::from(kind) == mode).then_some(kind)
}

/// The entries of a tree by name.
pub(crate) fn entries_of(
    objects: &Objects,
    tree: Option<&oid>,
) -> Option<BTreeMap<Vec<u8>, TreeEntry>> {
    let mut found = BTreeMap::new();
    let Some(tree) = tree else {
        return Some(found);
    };
    let mut buffer = Vec::new();
    let content = objects.read(tree, Kind::Tree, &mut buffer).ok()?;
    for entry in TreeRefIter::from_bytes(content, gix_hash::Kind::Sha1) {
        let entry = entry.ok()?;
        let kind = plain_kind(entry.mode)?;
        let id = entry.oid.to_owned();
        let is_new = found
            .insert(entry.filename.to_vec(), TreeEntry { kind, id })
            .is_none();
        if !is_new || !is_harmless(entry.filename, kind == EntryKind::Link) {
            return None;
        }
    }
    Some(found)
}

fn is_tree(entry: &TreeEntry) -> bool {
    entry.kind == EntryKind::Tree
}
