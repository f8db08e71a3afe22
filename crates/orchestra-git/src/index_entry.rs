//! Entries of an index: how git prints them, and how it reads them.

use std::path::PathBuf;

use crate::byte_path::{from_bytes, to_bytes};
use crate::repository::ObjectFormat;

const GITLINK: &str = "160000";
const NOTHING: &str = "000000";

/// What an index or a tree has at a path, as git writes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) mode: String,
    pub(crate) object: String,
}

impl Entry {
    /// `None` for what git writes where nothing is.
    pub(crate) fn new(mode: &str, object: &str) -> Option<Self> {
        (mode != NOTHING).then(|| Self {
            mode: mode.to_owned(),
            object: object.to_owned(),
        })
    }

    /// A submodule: its files are its own business.
    pub(crate) fn is_link(&self) -> bool {
        self.mode == GITLINK
    }
}

/// An entry of an index. A path with a conflict has several, with other numbers than 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Indexed {
    pub(crate) path: PathBuf,
    pub(crate) entry: Entry,
    pub(crate) stage: u8,
    /// Whether a sparse checkout leaves its file out. Only known where git was asked for it with `-t`.
    pub(crate) is_left_out: bool,
}

impl Indexed {
    /// Reads `mode object stage TAB path`, which may have a tag in front, or what `ls-tree` prints of a tree:
    /// `mode kind object TAB path`.
    pub(crate) fn parse(record: &[u8]) -> Option<Self> {
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let text = std::str::from_utf8(&record[..tab]).ok()?;
        let fields: Vec<_> = text.split(' ').collect();
        let (tag, mode, object, stage) = match fields.as_slice() {
            [mode, "blob" | "commit", object] => ("", mode, object, "0"),
            [mode, object, stage] => ("", mode, object, *stage),
            [tag, mode, object, stage] => (*tag, mode, object, *stage),
            _ => return None,
        };
        Some(Self {
            path: from_bytes(&record[tab + 1..]),
            entry: Entry::new(mode, object)?,
            stage: stage.parse().ok()?,
            is_left_out: tag == "S",
        })
    }

    /// Reads records that end with NUL.
    pub(crate) fn parse_all(bytes: &[u8]) -> Option<Vec<Self>> {
        let records = bytes.split(|byte| *byte == 0);
        let records = records.filter(|record| !record.is_empty());
        records.map(Self::parse).collect()
    }
}

/// What `update-index -z --index-info` reads: removals first, so that a directory can take the place of a file. A removed path
/// loses every stage of a conflict too.
pub(crate) fn index_records<'a>(
    format: ObjectFormat,
    entries: impl IntoIterator<Item = (&'a PathBuf, Option<&'a Entry>)>,
) -> Vec<u8> {
    let (mut removed, mut written) = (Vec::new(), Vec::new());
    for (path, entry) in entries {
        let path = to_bytes(path);
        removed.extend(format!("{NOTHING} {}\t", format.zero_id()).into_bytes());
        removed.extend_from_slice(&path);
        removed.push(0);
        if let Some(Entry { mode, object }) = entry {
            written.extend(format!("{mode} {object}\t").into_bytes());
            written.extend_from_slice(&path);
            written.push(0);
        }
    }
    removed.extend(written);
    removed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_read() {
        let bytes = b"H 100644 aa 0\ta b\0S 100755 bb 0\tc\x00160000 cc 2\td\te\0";
        let read = Indexed::parse_all(bytes).unwrap();
        let paths: Vec<_> = read.iter().map(|one| one.path.to_str().unwrap()).collect();
        assert_eq!(paths, ["a b", "c", "d\te"]);
        assert_eq!(read[0].entry.object, "aa");
        assert!(read[1].is_left_out && !read[0].is_left_out);
        assert!(read[2].entry.is_link());
        assert_eq!((read[0].stage, read[2].stage), (0, 2));
        assert_eq!(Indexed::parse_all(b""), Some(Vec::new()));
        let tree = Indexed::parse_all(b"100644 blob aa\ta b\0").unwrap();
        assert_eq!(tree[0], read[0]);
    }

    #[test]
    fn what_is_cut_is_refused() {
        for cut in [
            &b"H 100644 aa 0"[..],
            b"100644 aa\ta\0",
            b"H x 100644 aa 0\ta\0",
            b"100644 aa x\ta\0",
            b"000000 aa 0\ta\0",
            b"\xff\ta\0",
        ] {
            assert_eq!(Indexed::parse_all(cut), None);
        }
    }

    #[test]
    fn removals_come_first() {
        let entry = Entry::new("100644", "aa");
        let (one, two) = (PathBuf::from("a/b"), PathBuf::from("a"));
        let zero = "0".repeat(40);
        let records = index_records(ObjectFormat::Sha1, [(&one, entry.as_ref()), (&two, None)]);
        let expected =
            format!("000000 {zero}\ta/b\x00000000 {zero}\ta\x00100644 aa\ta/b\0").into_bytes();
        assert_eq!(records, expected);
    }
}
