//! A glance into git's index file: are there conflicts, and which entries are links to other repositories? Whatever is
//! unusual is left to git.

use std::path::PathBuf;

use crate::byte_path::from_bytes;

const HEADER: usize = 12;
/// Bytes of an entry before its object id.
const BEFORE_ID: usize = 40;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
const GITLINK: u32 = 0o160_000;
const DIRECTORY: u32 = 0o040_000;

/// What a glance shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Glance {
    pub(crate) has_conflicts: bool,
    pub(crate) gitlinks: Vec<PathBuf>,
}

/// Reads the entries; `None` when the file is split, sparse or of an unknown kind.
pub(crate) fn glance(bytes: &[u8], id_len: usize) -> Option<Glance> {
    let mut header = bytes.get(..HEADER)?.chunks_exact(4);
    let signature = header.next()?;
    let version = u32_at(header.next()?)?;
    let count = u32_at(header.next()?)?;
    if signature != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut found = Glance::default();
    let mut position = HEADER;
    let mut path = Vec::new();
    for _ in 0..count {
        let entry = Entry::read(bytes.get(position..)?, id_len, version, &mut path)?;
        position += entry.len;
        found.has_conflicts |= entry.flags & STAGE != 0;
        match entry.mode & 0o170_000 {
            GITLINK => found.gitlinks.push(from_bytes(&path)),
            DIRECTORY => return None,
            _ => {}
        }
    }
    (!is_split(bytes.get(position..)?)).then_some(found)
}

struct Entry {
    mode: u32,
    flags: u16,
    len: usize,
}

impl Entry {
    /// Reads one entry and leaves its path in `path`, which holds the path of the entry before.
    fn read(bytes: &[u8], id_len: usize, version: u32, path: &mut Vec<u8>) -> Option<Self> {
        let mode = u32_at(bytes.get(24..28)?)?;
        let flags_at = BEFORE_ID + id_len;
        let flags = u16::from_be_bytes(bytes.get(flags_at..flags_at + 2)?.try_into().ok()?);
        let mut name_at = flags_at + if flags & EXTENDED == 0 { 2 } else { 4 };
        let kept = if version == 4 {
            let (stripped, used) = variable_number(bytes.get(name_at..)?)?;
            name_at += used;
            path.len().checked_sub(stripped)?
        } else {
            0
        };
        let name = bytes.get(name_at..)?.split(|byte| *byte == 0).next()?;
        path.truncate(kept);
        path.extend_from_slice(name);
        let end = name_at + name.len();
        // Older versions fill up with one to eight NULs to a multiple of eight.
        let len = if version == 4 {
            end + 1
        } else {
            (end + 8) & !7
        };
        Some(Self { mode, flags, len })
    }
}

/// An extension called `link` says that most entries are in another file.
fn is_split(extensions: &[u8]) -> bool {
    extensions.starts_with(b"link")
}

/// The offset encoding of packs: seven bits per byte, each continuation adds one.
fn variable_number(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (index, byte) in bytes.iter().enumerate().take(5) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
        value += 1;
    }
    None
}

fn u32_at(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mode: u32, flags: u16, name: &str) -> Vec<u8> {
        let mut bytes = vec![0; BEFORE_ID + 20];
        bytes[24..28].copy_from_slice(&mode.to_be_bytes());
        bytes.extend(flags.to_be_bytes());
        if flags & EXTENDED != 0 {
            bytes.extend([0, 0]);
        }
        bytes.extend(name.as_bytes());
        bytes.resize((bytes.len() + 8) & !7, 0);
        bytes
    }

    fn index(entries: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x03".to_vec();
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        bytes.extend(entries.concat());
        bytes
    }

    #[test]
    fn conflicts_and_links_are_seen() {
        let plain = entry(0o100_644, 0, "a");
        let extended = entry(0o100_644, EXTENDED, "bb");
        assert_eq!(
            glance(&index(&[plain.clone(), extended.clone()]), 20),
            Some(Glance::default())
        );
        let found = glance(
            &index(&[
                plain,
                extended,
                entry(GITLINK, 0, "sub"),
                entry(0o100_644, 0x1000, "x"),
            ]),
            20,
        )
        .unwrap();
        assert_eq!(
            found,
            Glance {
                has_conflicts: true,
                gitlinks: vec!["sub".into()]
            }
        );
    }

    #[test]
    fn what_is_unusual_is_left_to_git() {
        assert_eq!(glance(b"", 20), None);
        assert_eq!(glance(b"DIRC\0\0\0\x09\0\0\0\0", 20), None);
        assert_eq!(glance(b"DIRC\0\0\0\x02\0\0\0\x01", 20), None);
        assert_eq!(glance(&index(&[entry(DIRECTORY, 0, "d/")]), 20), None);
        let mut split = index(&[]);
        split.extend(b"link\0\0\0\0");
        assert_eq!(glance(&split, 20), None);
    }
}
