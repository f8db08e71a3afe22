//! Splits the output of `--raw --numstat --patch -z` into files with their patches, as it streams by.

use super::summary::{FileChange, parse_summary};
use crate::status::ChangeKind;

/// A larger patch is nothing to look at.
const LARGEST: usize = 1 << 20;
/// All patches together have to fit into memory and into one answer.
const LARGEST_SUM: usize = 32 << 20;

/// Every patch begins with such a line, and no other line of one does: those have a blank, a sign or a word of a header first.
const BEGINNING: &[u8] = b"diff --git ";
/// Says only that there is a conflict.
const UNMERGED: &[u8] = b"* Unmerged path ";

/// What happened to one file, with its patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// What happened to it.
    pub change: FileChange,
    /// The changed lines.
    pub patch: Patch,
}

/// The patch of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Patch {
    /// All of it, as git writes it.
    Whole(Vec<u8>),
    /// It was left out.
    TooLarge,
}

/// Takes git's output in pieces of any size.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    records: Vec<u8>,
    has_records: bool,
    line: Line,
    patches: Vec<Patch>,
    kept: usize,
}

/// How much of the current line was seen.
#[derive(Debug)]
enum Line {
    /// Too little to tell what it is.
    Begun(Vec<u8>),
    /// It belongs to the last patch.
    OfPatch,
    /// It belongs to none.
    Skipped,
}

impl Default for Line {
    fn default() -> Self {
        Self::Begun(Vec::new())
    }
}

impl Splitter {
    pub(super) fn push(&mut self, chunk: &[u8]) {
        if self.has_records {
            return self.push_patches(chunk);
        }
        let searched = self.records.len().saturating_sub(1);
        self.records.extend_from_slice(chunk);
        // Two zeros in a row: the last record is over.
        let mut pairs = self.records[searched..].windows(2);
        if let Some(end) = pairs.position(|pair| pair == [0, 0]) {
            let rest = self.records.split_off(searched + end + 2);
            self.has_records = true;
            self.push_patches(&rest);
        }
    }

    /// The files with their patches; `None` if they do not fit together.
    pub(super) fn finish(self) -> Option<Vec<FilePatch>> {
        let files = parse_summary(&self.records)?;
        let mut patches = self.patches.into_iter();
        let mut joined = Vec::with_capacity(files.len());
        for change in files {
            let mut patch = patches.next()?;
            // A file that became a link, or a link that became a file, is removed by one patch and made by another.
            if change.kind == ChangeKind::TypeChanged {
                patch = patch.followed_by(patches.next()?);
            }
            joined.push(FilePatch { change, patch });
        }
        patches.next().is_none().then_some(joined)
    }

    fn push_patches(&mut self, chunk: &[u8]) {
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            self.take(piece);
            if piece.ends_with(b"\n") {
                self.line = Line::default();
            }
        }
    }

    /// A line, or a part of one.
    fn take(&mut self, piece: &[u8]) {
        match &mut self.line {
            Line::Skipped => {}
            Line::OfPatch => self.keep(piece),
            Line::Begun(begun) => {
                begun.extend_from_slice(piece);
                let can_tell = begun.len() >= UNMERGED.len() || begun.ends_with(b"\n");
                if can_tell {
                    let begun = std::mem::take(begun);
                    self.begin(&begun);
                }
            }
        }
    }

    fn begin(&mut self, begun: &[u8]) {
        if begun.starts_with(UNMERGED) {
            self.line = Line::Skipped;
            return;
        }
        if begun.starts_with(BEGINNING) {
            self.patches.push(Patch::Whole(Vec::new()));
        }
        self.line = Line::OfPatch;
        self.keep(begun);
    }

    fn keep(&mut self, piece: &[u8]) {
        let Some(patch) = self.patches.last_mut() else {
            return;
        };
        let Patch::Whole(bytes) = &mut *patch else {
            return;
        };
        if bytes.len() + piece.len() > LARGEST || self.kept + piece.len() > LARGEST_SUM {
            self.kept -= bytes.len();
            *patch = Patch::TooLarge;
        } else {
            bytes.extend_from_slice(piece);
            self.kept += piece.len();
        }
    }
}

impl Patch {
    fn followed_by(self, next: Self) -> Self {
        match (self, next) {
            (Self::Whole(first), Self::Whole(second)) => Self::Whole([first, second].concat()),
            _ => Self::TooLarge,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(bytes: &[u8], size: usize) -> Option<Vec<FilePatch>> {
        let mut splitter = Splitter::default();
        for chunk in bytes.chunks(size) {
            splitter.push(chunk);
        }
        splitter.finish()
    }

    #[test]
    fn every_file_gets_its_patch_wherever_the_pieces_are_cut() {
        let first =
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n x\n+diff --git a/x b/x\n";
        let gone = "diff --git a/l b/l\ndeleted file mode 100644\n";
        let made = "diff --git a/l b/l\nnew file mode 120000\n\\ No newline at end of file\n";
        let text = format!(
            ":100644 100644 1 2 M\0a\0:100644 120000 1 2 T\0l\x001\t0\ta\x001\t1\tl\0\0{first}* Unmerged path with a long name\n{gone}{made}"
        );
        for size in 1..=text.len() {
            let files = split(text.as_bytes(), size).unwrap();
            let shown: Vec<_> = files.into_iter().map(|file| file.patch).collect();
            let expected = [
                Patch::Whole(first.into()),
                Patch::Whole(format!("{gone}{made}").into()),
            ];
            assert_eq!(shown, expected, "{size}");
        }
        assert_eq!(split(b"", 1), Some(Vec::new()));
    }

    #[test]
    fn a_patch_without_a_file_is_refused_and_a_file_without_a_patch() {
        let record = ":100644 100644 1 2 M\0a\x001\t0\ta\0\0";
        let patch = "diff --git a/a b/a\n";
        assert!(split(format!("{record}{patch}").as_bytes(), 7).is_some());
        assert!(split(record.as_bytes(), 7).is_none());
        assert!(split(format!("{record}{patch}{patch}").as_bytes(), 7).is_none());
    }

    #[test]
    fn what_is_too_large_is_left_out_alone() {
        let mut text = b":100644 100644 1 2 M\0a\0:100644 100644 1 2 M\0b\0\0".to_vec();
        text.extend_from_slice(b"diff --git a/a b/a\n+");
        text.extend(std::iter::repeat_n(b'x', LARGEST));
        text.extend_from_slice(b"\ndiff --git a/b b/b\n+y\n");
        let files = split(&text, 64 * 1024).unwrap();
        assert_eq!(files[0].patch, Patch::TooLarge);
        let small = b"diff --git a/b b/b\n+y\n".to_vec();
        assert_eq!(files[1].patch, Patch::Whole(small));
    }
}
