//! Linux tells of every extent of a file whether another file has it too, on file systems where that can be.

use std::io;
use std::path::Path;

use fiemap::{Fiemap, FiemapExtentFlags};
use rustix::fs::{Mode, OFlags};

/// Btrfs, XFS, bcachefs, OCFS2, and overlays, which pass the question on.
const TELLING: [u32; 5] = [
    0x9123_683e,
    0x5846_5342,
    0xca45_1a4e,
    0x7461_636f,
    0x794c_7630,
];
/// ext2 to ext4, memory, FAT.
const PLAIN: [u32; 4] = [0xef53, 0x0102_1994, 0x8584_58f6, 0x4d44];
/// What was looked at may be something else by now: no link is followed, no pipe waited for.
const OPEN: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// How files of a file system may share data without a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// They cannot.
    Never,
    /// They can, and the system tells of every file.
    Told,
    /// They perhaps can, and nobody tells.
    Untold,
}

impl Sharing {
    /// How it is on the file system of a directory.
    pub(crate) fn at(directory: &Path) -> Self {
        match rustix::fs::statfs(directory) {
            Ok(facts) => Self::of_kind(facts.f_type as u32),
            Err(_) => Self::Untold,
        }
    }

    /// How much of a regular file other files have as well; `None` if that cannot be told.
    pub(crate) fn shared_bytes(self, file: &Path) -> Option<u64> {
        match self {
            Self::Never => Some(0),
            Self::Untold => None,
            Self::Told => shared_extents(file),
        }
    }

    fn of_kind(kind: u32) -> Self {
        match kind {
            kind if TELLING.contains(&kind) => Self::Told,
            kind if PLAIN.contains(&kind) => Self::Never,
            _ => Self::Untold,
        }
    }
}

fn shared_extents(file: &Path) -> Option<u64> {
    let file = rustix::fs::open(file, OPEN, Mode::empty()).ok()?;
    let extents: io::Result<Vec<_>> = Fiemap::new(file).collect();
    let extents = extents.ok()?.into_iter();
    let shared = extents.filter(|it| it.fe_flags.contains(FiemapExtentFlags::SHARED));
    Some(shared.map(|extent| extent.fe_length).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_differ_in_what_they_tell() {
        assert_eq!(Sharing::of_kind(0x9123_683e), Sharing::Told);
        assert_eq!(Sharing::of_kind(0xef53), Sharing::Never);
        assert_eq!(Sharing::of_kind(0x2fc1_2fc1), Sharing::Untold);
        assert_eq!(Sharing::Untold.shared_bytes(Path::new("/dev/null/x")), None);
    }
}
