//! The paths that differ between two commits or trees.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
use gix_object::tree::EntryMode;

use crate::byte_path::from_bytes;
use crate::error::GitError;
use crate::index_entry::Entry;
use crate::repository::Repository;
#[cfg(target_os = "linux")]
use crate::tree_changes::{ChangedPath, TreeChanges, TreeEntry};

/// A path that two trees differ in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Touched {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Entry>,
    pub(crate) after: Option<Entry>,
}

impl Touched {
    /// A file that is not in the first tree.
    pub(crate) fn is_new_file(&self) -> bool {
        self.before.is_none() && self.after.as_ref().is_some_and(|entry| !entry.is_link())
    }

    pub(super) fn has_link(&self) -> bool {
        [&self.before, &self.after]
            .into_iter()
            .flatten()
            .any(Entry::is_link)
    }
}

impl Repository {
    pub(crate) fn touched(&self, from: &str, to: &str) -> Result<Vec<Touched>, GitError> {
        #[cfg(target_os = "linux")]
        if let Some(found) = self.touched_directly(from, to) {
            return Ok(found);
        }
        let call = self.objects()?.call("diff-tree");
        let call = call.args(["-r", "-z", "--raw", "--no-renames", from, to]);
        let answer = self.git().run(&call)?.require_success()?;
        parse(&answer.stdout).ok_or_else(|| call.unreadable("a record is cut"))
    }
}

#[cfg(target_os = "linux")]
impl Repository {
    fn touched_directly(&self, from: &str, to: &str) -> Option<Vec<Touched>> {
        let (from, to) = (from.parse().ok()?, to.parse().ok()?);
        self.directly(|store| {
            let objects = store.objects();
            let trees = (objects.tree_of(&from).ok()?, objects.tree_of(&to).ok()?);
            let changes = TreeChanges::between(&objects, &trees.0, &trees.1)?;
            Some(changes.paths.into_iter().map(Touched::from).collect())
        })
    }
}

#[cfg(target_os = "linux")]
impl From<ChangedPath> for Touched {
    fn from(changed: ChangedPath) -> Self {
        let entry = |found: TreeEntry| Entry {
            mode: format!("{:06o}", EntryMode::from(found.kind).value()),
            object: found.id.to_string(),
        };
        Self {
            path: from_bytes(&changed.path),
            before: changed.before.map(entry),
            after: changed.after.map(entry),
        }
    }
}

/// Reads `:mode mode id id status NUL path NUL`.
fn parse(raw: &[u8]) -> Option<Vec<Touched>> {
    let mut found = Vec::new();
    let mut tokens = raw.split(|byte| *byte == 0);
    while let Some(header) = tokens.next().filter(|header| !header.is_empty()) {
        let path = from_bytes(tokens.next()?);
        let header = std::str::from_utf8(header.strip_prefix(b":")?).ok()?;
        let fields: Vec<_> = header.split(' ').collect();
        let [mode_before, mode_after, before, after, _kind] = fields.as_slice() else {
            return None;
        };
        found.push(Touched {
            path,
            before: Entry::new(mode_before, before),
            after: Entry::new(mode_after, after),
        });
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        let raw = b":000000 100644 00 aa A\0a/b\0:100644 000000 bb 00 D\0a\0:160000 100755 cc dd T\0x y\0";
        let found = parse(raw).unwrap();
        assert_eq!(found.len(), 3);
        assert!(found[0].is_new_file() && !found[0].has_link());
        assert_eq!(found[1].after, None);
        assert!(found[2].has_link() && !found[2].is_new_file());
        assert_eq!(found[2].path, PathBuf::from("x y"));
        assert_eq!(parse(b""), Some(Vec::new()));
    }

    #[test]
    fn cut_records_are_refused() {
        for raw in [
            &b":000000 100644 00 aa A"[..],
            b"000000 100644 00 aa A\0a\0",
            b":000000 100644 aa A\0a\0",
            b":\xff 100644 00 aa A\0a\0",
        ] {
            assert_eq!(parse(raw), None);
        }
    }
}
