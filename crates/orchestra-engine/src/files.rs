//! Files of a session's worktree, as people look at them and save them. A worktree is hostile: no link is followed, and nothing
//! of git's own is touched.

mod error;
mod list;
mod path;
mod save;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use orchestra_core::{Session, SessionId};

pub use error::FileError;
pub use list::{DirectoryPage, DirectoryRequest, FileEntry};
pub use save::SaveFile;

pub(crate) use path::require_path;

use crate::copy_files::Directory;
use crate::landing::require_not_in_trash;
use crate::{Engine, EngineError};

/// A larger file is not shown, nor saved.
pub const LARGEST_FILE: u64 = 1024 * 1024;

/// A file of a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeFile {
    /// How long it is.
    pub bytes: u64,
    /// Whether its owner may run it.
    pub is_executable: bool,
    /// What is in it; `None` if that is more than [`LARGEST_FILE`].
    pub content: Option<Vec<u8>>,
}

impl WorktreeFile {
    /// Tells this content from any other; `None` if it is not known.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        self.content.as_deref().map(version_of)
    }

    fn read(file: &File) -> io::Result<Self> {
        let facts = file.metadata()?;
        let mut content = Vec::new();
        // It may grow meanwhile.
        file.take(LARGEST_FILE + 1).read_to_end(&mut content)?;
        let is_whole = content.len() as u64 <= LARGEST_FILE;
        Ok(Self {
            bytes: match is_whole {
                true => content.len() as u64,
                false => facts.len(),
            },
            is_executable: is_executable(&facts),
            content: is_whole.then_some(content),
        })
    }
}

impl Engine {
    /// Reads a file of a session's worktree.
    ///
    /// # Errors
    /// If the path leads elsewhere, or there is no such file.
    pub fn read_file(&self, id: &SessionId, path: &str) -> Result<WorktreeFile, EngineError> {
        let place = require_path(path)?;
        let top = open_top(&self.session(id)?.session)?;
        let read = open_file(&top, &place).and_then(|file| WorktreeFile::read(&file));
        Ok(read.map_err(|source| FileError::of(path, source))?)
    }
}

fn open_file(top: &Directory, place: &Path) -> io::Result<File> {
    let (folder, name) = path::split(place)?;
    top.below(folder)?.file(name)
}

/// The top of a worktree.
fn open_top(session: &Session) -> Result<Directory, EngineError> {
    require_not_in_trash(session)?;
    Directory::open(&session.worktree).map_err(|_| EngineError::WorktreeMissing {
        session: session.id.clone(),
        worktree: session.worktree.clone(),
    })
}

fn version_of(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

#[cfg(unix)]
fn is_executable(facts: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&facts.permissions()) & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_facts: &std::fs::Metadata) -> bool {
    false
}
