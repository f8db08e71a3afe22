//! Systems that do not tell what files share.

use std::path::Path;

/// How files of a file system may share data without a link: nobody tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sharing;

impl Sharing {
    pub(crate) fn at(_directory: &Path) -> Self {
        Self
    }

    pub(crate) fn shared_bytes(self, _file: &Path) -> Option<u64> {
        None
    }
}
