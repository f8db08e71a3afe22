//! Reads `--raw --numstat -z`, alone or inside a log.

use std::path::PathBuf;

use crate::byte_path::from_bytes;
use crate::status::{ChangeKind, kind_of};

/// What happened to one file, with line counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Where it is, below the worktree.
    pub path: PathBuf,
    /// Where it was before, if it was renamed or copied.
    pub original: Option<PathBuf>,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Lines that are new; `None` if it is not text.
    pub insertions: Option<u64>,
    /// Lines that are gone; `None` if it is not text.
    pub deletions: Option<u64>,
}

impl FileChange {
    /// Whether it is not text.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        self.insertions.is_none()
    }
}

/// Reads a whole answer.
pub(crate) fn parse_summary(bytes: &[u8]) -> Option<Vec<FileChange>> {
    let mut tokens = bytes.split(|byte| *byte == 0);
    let mut entries = Entries::default();
    while let Some(token) = tokens.next().filter(|token| !token.is_empty()) {
        entries.push(token, &mut tokens)?;
    }
    Some(entries.files)
}

/// Records of one commit or diff: first one raw record per file, then one count per file, in the same order.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    pub(crate) files: Vec<FileChange>,
    /// The file of each record; none for one that only tells of a conflict, which has a count too.
    places: Vec<Option<usize>>,
    counted: usize,
}

impl Entries {
    /// Takes the record that starts with `token`.
    pub(crate) fn push<'a>(
        &mut self,
        token: &[u8],
        tokens: &mut impl Iterator<Item = &'a [u8]>,
    ) -> Option<()> {
        match token.strip_prefix(b":") {
            Some(raw) => self.push_raw(raw, tokens),
            None => self.push_counts(token, tokens),
        }
    }

    /// `mode mode id id status`, then one path, or two after a rename or copy.
    fn push_raw<'a>(
        &mut self,
        raw: &[u8],
        tokens: &mut impl Iterator<Item = &'a [u8]>,
    ) -> Option<()> {
        let letter = *raw.rsplit(|byte| *byte == b' ').next()?.first()?;
        // A file with a conflict has another record of its own, unless our side has deleted it.
        let kind = kind_of(letter).unwrap_or(ChangeKind::Modified);
        let first = from_bytes(tokens.next()?);
        let (path, original) = match kind {
            ChangeKind::Renamed | ChangeKind::Copied => (from_bytes(tokens.next()?), Some(first)),
            _ => (first, None),
        };
        self.places
            .push((letter != b'U').then_some(self.files.len()));
        if letter != b'U' {
            self.files.push(FileChange {
                path,
                original,
                kind,
                insertions: None,
                deletions: None,
            });
        }
        Some(())
    }

    /// `insertions TAB deletions TAB path`; after a rename the path is empty and two follow.
    fn push_counts<'a>(
        &mut self,
        token: &[u8],
        tokens: &mut impl Iterator<Item = &'a [u8]>,
    ) -> Option<()> {
        let mut fields = token.splitn(3, |byte| *byte == b'\t');
        let (insertions, deletions) = (count(fields.next()?), count(fields.next()?));
        if fields.next()?.is_empty() {
            tokens.next()?;
            tokens.next()?;
        }
        if let Some(place) = *self.places.get(self.counted)? {
            let file = self.files.get_mut(place)?;
            (file.insertions, file.deletions) = (insertions, deletions);
        }
        self.counted += 1;
        Some(())
    }
}

fn count(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_find_their_files() {
        let text = b":100644 100644 1 2 M\0a b\0:100644 100644 1 1 R087\0old\0new\0:000000 100644 0 3 A\0bin\x003\t1\ta b\x000\t2\t\0old\0new\0-\t-\tbin\0";
        let files = parse_summary(text).unwrap();
        assert_eq!(files.len(), 3);
        assert_eq!(
            (files[0].insertions, files[0].deletions),
            (Some(3), Some(1))
        );
        assert_eq!(
            (
                files[1].path.to_str(),
                files[1].original.as_deref().unwrap().to_str()
            ),
            (Some("new"), Some("old"))
        );
        assert_eq!(
            (files[1].insertions, files[1].deletions),
            (Some(0), Some(2))
        );
        assert!(files[2].is_binary());
        assert_eq!(files[2].kind, ChangeKind::Added);
    }

    #[test]
    fn a_conflict_is_no_change_of_its_own() {
        let text = b":000000 100644 0 0 U\0a\0:100644 100644 1 0 M\0a\0:000000 000000 0 0 U\0gone\0:100644 100644 1 2 M\0b\x000\t0\ta\x004\t0\ta\x000\t0\tgone\x001\t2\tb\0";
        let files = parse_summary(text).unwrap();
        let counts = files
            .iter()
            .map(|file| (file.path.to_str(), file.insertions));
        let expected = [(Some("a"), Some(4)), (Some("b"), Some(1))];
        assert_eq!(counts.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn broken_records_are_refused() {
        for text in [
            &b":100644 100644 1 2 M"[..],
            b"1\t2\tx",
            b":1 2 3 4 R1\0a",
            b"nonsense",
        ] {
            assert_eq!(parse_summary(text), None);
        }
        assert_eq!(parse_summary(b""), Some(Vec::new()));
    }
}
