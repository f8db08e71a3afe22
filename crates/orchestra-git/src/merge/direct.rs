//! Merges of trees in process, where no file has to be merged and no rename can play a part: every entry was changed by one
//! side at most. Anything else is left to git, which gives the same for these.

use std::collections::BTreeMap;

use gix_hash::ObjectId;
use gix_object::Kind;
use orchestra_core::TreeId;

use crate::objects::{Objects, Store};
use crate::repository::Repository;

/// Deeper trees than any that people make are left to git.
const DEEPEST: usize = 256;
const DIRECTORY: &[u8] = b"40000";

impl Repository {
    /// The tree that has the changes of both sides. `None`: git has to look.
    pub(crate) fn merge_trees_directly(
        &self,
        base: &TreeId,
        ours: &TreeId,
        theirs: &TreeId,
    ) -> Option<TreeId> {
        let id = |tree: &TreeId| ObjectId::from_hex(tree.as_str().as_bytes()).ok();
        let (base, ours, theirs) = (id(base)?, id(ours)?, id(theirs)?);
        let merged = self.directly(|store| {
            let objects = &store.objects();
            Merge { store, objects }.roots(base, ours, theirs)
        });
        merged?.to_string().parse().ok()
    }
}

struct Merge<'a> {
    store: &'a Store,
    objects: &'a Objects,
}

/// One line of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// As it is written, without zeros in front.
    mode: Vec<u8>,
    id: ObjectId,
}

type Tree = BTreeMap<Vec<u8>, Entry>;

impl Merge<'_> {
    fn roots(&self, base: ObjectId, ours: ObjectId, theirs: ObjectId) -> Option<ObjectId> {
        match (base == ours, base == theirs) {
            (true, _) => Some(theirs),
            (_, true) => Some(ours),
            _ => self.directories(Some(base), ours, theirs, 0),
        }
    }

    fn directories(
        &self,
        base: Option<ObjectId>,
        ours: ObjectId,
        theirs: ObjectId,
        depth: usize,
    ) -> Option<ObjectId> {
        if depth > DEEPEST {
            return None;
        }
        let base = match base {
            Some(base) => self.read(&base)?,
            None => Tree::new(),
        };
        let (ours, theirs) = (self.read(&ours)?, self.read(&theirs)?);
        if may_have_moved(&base, &ours, &theirs) || may_have_moved(&base, &theirs, &ours) {
            return None;
        }
        let mut names: Vec<_> = base
            .keys()
            .chain(ours.keys())
            .chain(theirs.keys())
            .collect();
        names.sort_unstable();
        names.dedup();
        let mut merged = Tree::new();
        for name in names {
            let versions = [base.get(name), ours.get(name), theirs.get(name)];
            if let Some(entry) = self.entry(versions, depth)? {
                merged.insert(name.clone(), entry);
            }
        }
        if merged.is_empty() {
            return None;
        }
        self.store.write(Kind::Tree, &to_bytes(&merged)).ok()
    }

    /// The outer `None` leaves it to git; the inner one means that nothing has this name. The same change on both sides is left
    /// to git too: something gone on both can be two renames.
    fn entry(&self, versions: [Option<&Entry>; 3], depth: usize) -> Option<Option<Entry>> {
        let [base, ours, theirs] = versions;
        if base == ours {
            return Some(theirs.cloned());
        }
        if base == theirs {
            return Some(ours.cloned());
        }
        let is_directory = |entry: &&Entry| entry.mode == DIRECTORY;
        let (ours, theirs) = (ours.filter(is_directory)?, theirs.filter(is_directory)?);
        if ours == theirs || base.is_some_and(|base| !is_directory(&base)) {
            return None;
        }
        let base = base.map(|base| base.id);
        let id = self.directories(base, ours.id, theirs.id, depth + 1)?;
        let mode = DIRECTORY.to_vec();
        Some(Some(Entry { mode, id }))
    }

    fn read(&self, id: &ObjectId) -> Option<Tree> {
        let mut buffer = Vec::new();
        parse(self.objects.read(id, Kind::Tree, &mut buffer).ok()?)
    }
}

/// Whether one side took something out of a directory that the other one put something into: it could have been renamed as a
/// whole.
fn may_have_moved(base: &Tree, one: &Tree, other: &Tree) -> bool {
    let takes = base.keys().any(|name| !one.contains_key(name));
    let is_new = |name: &Vec<u8>| !base.contains_key(name) && !one.contains_key(name);
    takes && other.keys().any(is_new)
}

/// Reads `mode SP name NUL id`, again and again.
fn parse(mut bytes: &[u8]) -> Option<Tree> {
    let mut tree = Tree::new();
    while !bytes.is_empty() {
        let space = bytes.iter().position(|byte| *byte == b' ')?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        let name = bytes.get(space + 1..end)?.to_vec();
        let id = ObjectId::try_from(bytes.get(end + 1..end + 21)?).ok()?;
        let mode = bytes[..space].to_vec();
        if mode.starts_with(b"0") || tree.insert(name, Entry { mode, id }).is_some() {
            return None;
        }
        bytes = &bytes[end + 21..];
    }
    Some(tree)
}

/// git sorts directories as if their names ended with a slash.
fn to_bytes(tree: &Tree) -> Vec<u8> {
    let key = |(name, entry): &(&Vec<u8>, &Entry)| match entry.mode == DIRECTORY {
        true => [name.as_slice(), b"/"].concat(),
        false => name.to_vec(),
    };
    let mut entries: Vec<_> = tree.iter().collect();
    entries.sort_by_cached_key(key);
    let mut bytes = Vec::new();
    for (name, entry) in entries {
        bytes.extend(&entry.mode);
        bytes.push(b' ');
        bytes.extend(name);
        bytes.push(0);
        bytes.extend(entry.id.as_slice());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mode: &[u8], digit: u8) -> Entry {
        Entry {
            mode: mode.to_vec(),
            id: ObjectId::try_from(&[digit; 20][..]).unwrap(),
        }
    }

    #[test]
    fn trees_are_written_in_gits_order() {
        let tree = Tree::from([
            (b"a".to_vec(), entry(DIRECTORY, 1)),
            (b"a.b".to_vec(), entry(b"100644", 2)),
            (b"a0".to_vec(), entry(b"100664", 3)),
        ]);
        let bytes = to_bytes(&tree);
        assert!(bytes.starts_with(b"100644 a.b\0"));
        assert_eq!(parse(&bytes), Some(tree));
    }

    #[test]
    fn odd_trees_are_left_to_git() {
        let good = to_bytes(&Tree::from([(b"a".to_vec(), entry(b"100644", 1))]));
        assert_eq!(parse(&good[..good.len() - 1]), None);
        assert_eq!(parse(&[good.clone(), good.clone()].concat()), None);
        assert_eq!(parse(&[b"0", good.as_slice()].concat()), None);
        assert_eq!(parse(b"100644"), None);
        assert_eq!(parse(b"\0 "), None);
    }
}
